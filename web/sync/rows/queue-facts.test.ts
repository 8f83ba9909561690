import { expect, test } from 'vitest'
import { makeView } from '../testing/make-view.ts'
import { createQueueFacts, joinWaitReason } from './queue-facts.ts'

const nowMs = Date.parse('2026-03-01T09:00:00.000Z')
const until = '2026-03-01T09:01:00.000Z'

test('a prompt in line behind a closed gate waits for that provider, until the gate opens', () => {
  const facts = createQueueFacts()
  facts.setGate({ provider: 'openai', closed_until: until })
  const reason = (provider: string, atMs = nowMs) => joinWaitReason(makeView(1), facts.get(), provider, atMs)
  expect(reason('openai')).toEqual({ code: 'rate_limit', provider: 'openai', until })
  expect(reason('anthropic')).toEqual({ code: 'in_line' })
  expect(reason('openai', Date.parse(until))).toEqual({ code: 'in_line' })
  facts.setGate({ provider: 'openai', closed_until: null })
  expect(reason('openai')).toEqual({ code: 'in_line' })
})

test('taken places are the reason of those in line, and of nobody else', () => {
  const facts = createQueueFacts()
  facts.setQueue({ running: 8, waiting: 3, org_limit: true })
  const backoff = { code: 'backoff' as const, at: until }
  expect(joinWaitReason(makeView(1), facts.get(), undefined, nowMs)).toEqual({ code: 'org_limit' })
  expect(joinWaitReason(makeView(1, { wait_reason: backoff }), facts.get(), undefined, nowMs)).toEqual(
    backoff,
  )
  expect(joinWaitReason(makeView(1, { state: 'running' }), facts.get(), undefined, nowMs)).toBeNull()
})
