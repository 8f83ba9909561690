import { expect, it } from 'vitest'
import { lookOf } from '../../marks/look-of.ts'
import { promptLine } from '../../marks/prompt-line.ts'
import { makeView } from '../../sync/testing/make-view.ts'
import { earlierWords, type TurnFact, turnFacts, turnLine } from './turn-meta.ts'

const reading = { timeZone: 'UTC', nowMs: Date.parse('2026-03-01T09:00:00.000Z') }
const plain = (facts: readonly TurnFact[]) => facts.map(({ text }) => text.replaceAll('\u00a0', ' '))

it('a running turn says how long it has been at it, and which attempt this is', () => {
  const view = makeView(1, {
    state: 'running',
    attempt: 2,
    model: 'sonnet',
    tokens: null,
    started_at: '2026-03-01T08:59:22.000Z',
  })
  expect(plain(turnFacts(view, reading, 412))).toEqual(['sonnet', '38 s', 'attempt 2 of 3'])
})

it('an answered one says what it took and when', () => {
  const view = makeView(1, {
    state: 'succeeded',
    model: 'sonnet',
    tokens: 488,
    started_at: '2026-03-01T08:00:00.000Z',
    finished_at: '2026-03-01T08:00:21.000Z',
  })
  expect(plain(turnFacts(view, reading, undefined))).toEqual(['sonnet', '488 tokens', '21 s', '08:00'])
})

it('one that ran late says so', () => {
  const late = { scheduled_for: '2026-03-01T05:00:00.000Z', late_ms: 3 * 3_600_000 }
  const facts = turnFacts(makeView(1, { state: 'succeeded', ...late }), reading, undefined)
  expect(plain(facts).at(-1)).toBe('ran 3 h late, planned for 05:00')
})

it('earlier answers are told from tries that brought none', () => {
  const job = (outcome: 'succeeded' | 'failed') => ({
    job_id: '00000000-0000-7000-8000-000000000001',
    outcome,
    at: '2026-03-01T08:00:00.000Z',
  })
  expect(earlierWords([], reading)).toBeNull()
  expect(earlierWords([job('succeeded')], reading)?.head).toBe('1 earlier answer, kept')
  const atMs = Date.parse('2026-03-01T08:00:00.000Z')
  expect(earlierWords([job('succeeded'), job('failed')], reading)).toEqual({
    head: '1 earlier answer, kept · 1 earlier try',
    each: [
      { text: 'answered 08:00', atMs },
      { text: 'failed 08:00', atMs },
    ],
  })
})

it('no time and no reason is said twice', () => {
  const words = (over: Parameters<typeof makeView>[1]) => {
    const view = makeView(1, { finished_at: '2026-03-01T08:00:21.000Z', ...over })
    const look = lookOf(view, reading)
    return turnLine(look, promptLine(view, look, reading)).map(({ text }) => text)
  }
  expect(words({ state: 'failed', error_kind: 'auth' })).toEqual(['Failed'])
  expect(words({ state: 'succeeded', seen: true })).toEqual(['answered'])
  expect(words({ state: 'succeeded' })).toEqual(['new', ' · answered'])
  expect(words({ state: 'succeeded', verdict: 'refuted' })).toEqual(['new', ' · answered', ' · ', 'refuted'])
})
