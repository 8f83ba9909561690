import { expect, it } from 'vitest'
import { makeView } from '../sync/testing/make-view.ts'
import { changeWords, pageTitle, toldState } from './change-words.ts'

it('gathers what happened into one sentence', () => {
  expect(changeWords(['succeeded', 'failed', 'succeeded'])).toBe('2 answered, 1 failed')
  expect(changeWords([])).toBe('')
})

it('tells what ended, not what began, nor what was there before the page', () => {
  const running = makeView(1, { state: 'running' })
  const answered = makeView(1, { state: 'succeeded' })
  expect(toldState({ before: running, after: answered })).toBe('succeeded')
  expect(toldState({ before: undefined, after: answered })).toBeNull()
  expect(toldState({ before: makeView(1), after: running })).toBeNull()
  expect(toldState({ before: answered, after: makeView(1) })).toBeNull()
})

// R007
it('the tab is named after what is under way, then after what is new', () => {
  expect(pageTitle({ atWork: 1, waiting: 4, unseen: 3 })).toBe('(5) Mission Field')
  expect(pageTitle({ atWork: 0, waiting: 0, unseen: 3 })).toBe('3 new · Mission Field')
  expect(pageTitle({ atWork: 0, waiting: 0, unseen: 0 })).toBe('Mission Field')
})
