import type { Transition } from '../sync/rows/server-state.ts'

const told = ['succeeded', 'failed', 'cancelled'] as const
export type ToldState = (typeof told)[number]

/** @returns the state that a person is told of; null for all that is no news: what begins, and what was old already */
export function toldState({ before, after }: Transition): ToldState | null {
  if (before === undefined || before.state === after.state) return null
  return told.find((state) => state === after.state) ?? null
}

const words: Readonly<Record<ToldState, string>> = {
  succeeded: 'answered',
  failed: 'failed',
  cancelled: 'cancelled',
}

/** `2 answered, 1 failed`: what happened within a few seconds, in one sentence. */
export function changeWords(states: readonly ToldState[]): string {
  return told
    .map((state) => ({ state, count: states.filter((each) => each === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count.toLocaleString('en')} ${words[state]}`)
    .join(', ')
}

/** The name of the tab: how many are under way, else how many answers wait to be read. */
export function pageTitle(counts: { atWork: number; waiting: number; unseen: number }): string {
  const active = counts.atWork + counts.waiting
  if (active > 0) return `(${active.toLocaleString('en')}) Mission Field`
  return counts.unseen > 0 ? `${counts.unseen.toLocaleString('en')} new · Mission Field` : 'Mission Field'
}
