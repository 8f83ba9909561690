import { expect, test } from 'vitest'
import { createQueueFacts } from './queue-facts.ts'

const until = '2026-03-01T09:01:00.000Z'

test('a gate is closed until it is told to be open, or a stream begins that does not name it', () => {
  const facts = createQueueFacts()
  facts.setGate({ provider: 'openai', closed_until: until })
  facts.setGate({ provider: 'anthropic', closed_until: until })
  facts.setGate({ provider: 'openai', closed_until: null })
  expect([...facts.get().closedUntil]).toEqual([['anthropic', until]])
  facts.openAll()
  expect(facts.get().closedUntil.size).toBe(0)
})

test('taken places are known as long as a stream tells of them', () => {
  const facts = createQueueFacts()
  let told = 0
  facts.subscribe(() => {
    told += 1
  })
  facts.setQueue({ running: 8, waiting: 3, org_limit: true })
  facts.setQueue({ running: 8, waiting: 2, org_limit: true })
  expect([facts.get().orgLimit, told]).toEqual([true, 1])
  facts.forgetLimit()
  expect([facts.get().orgLimit, told]).toEqual([false, 2])
})
