import { expect, test } from 'vitest'
import { joinWaitReason } from './join-wait-reason.ts'

const nowMs = Date.parse('2026-03-01T09:00:00.000Z')
const until = '2026-03-01T09:01:00.000Z'
const inLine = { state: 'queued', wait_reason: { code: 'in_line' } } as const
const open = { provider: 'openai', closedUntil: undefined, orgLimit: false }

test('a prompt in line behind a closed gate waits for that provider, until its time has come', () => {
  const closed = { ...open, closedUntil: until }
  expect(joinWaitReason(inLine, open, nowMs)).toEqual({ code: 'in_line' })
  expect(joinWaitReason(inLine, closed, nowMs)).toEqual({ code: 'rate_limit', provider: 'openai', until })
  expect(joinWaitReason(inLine, closed, Date.parse(until))).toEqual({ code: 'in_line' })
})

test('taken places are the reason of those in line, and of nobody else', () => {
  const full = { ...open, orgLimit: true }
  const backoff = { code: 'backoff', at: until } as const
  expect(joinWaitReason(inLine, full, nowMs)).toEqual({ code: 'org_limit' })
  expect(joinWaitReason({ state: 'queued', wait_reason: backoff }, full, nowMs)).toEqual(backoff)
  expect(joinWaitReason({ state: 'running', wait_reason: null }, full, nowMs)).toBeNull()
})
