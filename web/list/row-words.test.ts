import { expect, it } from 'vitest'
import type { PromptView } from '../../shared/prompt-view.ts'
import { lookOf } from '../marks/look-of.ts'
import { promptLine } from '../marks/prompt-line.ts'
import { makeView } from '../sync/testing/make-view.ts'
import { rowWords } from './row-words.ts'

const reading = { timeZone: 'UTC', nowMs: Date.parse('2026-03-01T09:00:00.000Z') }

function words(over: Partial<PromptView>, liveText?: string) {
  const view = makeView(1, over)
  const look = lookOf(view, reading)
  return rowWords(view, look, promptLine(view, look, reading), liveText)
}

it('a waiting one says why', () => {
  expect(words({ state: 'queued' })).toEqual({ state: 'Waiting', known: 'In line', isSaid: false })
})

it('a failed one says what happened and what helps', () => {
  expect(words({ state: 'failed', error_kind: 'auth' })).toEqual({
    state: 'Failed',
    known: 'The provider refused the key. Renew it, then retry.',
    isSaid: false,
  })
})

it('an answer speaks for itself', () => {
  expect(words({ state: 'succeeded', answer_excerpt: 'At −20 °C' })).toEqual({
    state: 'New',
    known: 'At −20 °C',
    isSaid: true,
  })
})

it('a running one shows its newest words', () => {
  expect(words({ state: 'running' }, 'first line\nand the last words').known).toBe(
    'first line and the last words',
  )
  expect(words({ state: 'running' }, `${'word '.repeat(80)}end`).known).toMatch(/^…word .* end$/)
  expect(words({ state: 'running' })).toEqual({ state: 'Answering', known: '', isSaid: false })
})

it('a verdict is the word', () => {
  expect(words({ state: 'succeeded', seen: true, verdict: 'refuted' }).state).toBe('Refuted')
})
