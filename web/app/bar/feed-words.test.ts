import { expect, it } from 'vitest'
import { feedWords } from './feed-words.ts'

const atMs = Date.parse('2026-03-12T14:02:30.000Z')

it('each way to hear of changes has its own words and its own shape', () => {
  const live = feedWords({ mode: 'live', mustReload: false }, 0, 'UTC')
  const polling = feedWords({ mode: 'polling', isAsking: true, mustReload: false }, 0, 'UTC')
  const offline = feedWords({ mode: 'offline', sinceMs: atMs, mustReload: false }, 0, 'UTC')
  expect([live, polling, offline].map(({ words }) => words)).toEqual([
    'live',
    'polling every 2 s',
    'offline since 14:02',
  ])
  expect(new Set([live, polling, offline].map(({ shape }) => shape)).size).toBe(3)
})

it('while nothing answers, it says what is kept here', () => {
  expect(feedWords({ mode: 'offline', sinceMs: atMs, mustReload: false }, 2, 'Europe/Athens').words).toBe(
    'offline since 16:02 · 2 unsent',
  )
})

it('does not claim to poll while it asks nothing', () => {
  expect(feedWords({ mode: 'polling', isAsking: false, mustReload: false }, 0, 'UTC').words).not.toContain(
    '2 s',
  )
})
