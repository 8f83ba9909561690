import { expect, it } from 'vitest'
import { foldLines, foldOf } from './fold.ts'

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join('\n')

it('what is short, or hardly longer, stands whole', () => {
  expect(foldOf('')).toBeNull()
  expect(foldOf(lines(foldLines))).toBeNull()
  expect(foldOf(lines(foldLines + 4))).toBeNull()
})

it('a long one keeps its first lines and counts the others', () => {
  const fold = foldOf(lines(49))
  expect(fold?.hiddenLines).toBe(31)
  expect(fold?.head.split('\n')).toHaveLength(foldLines)
})

it('counts lines as they are wrapped', () => {
  const fold = foldOf('word '.repeat(1_000))
  expect(fold?.hiddenLines).toBeGreaterThan(40)
  expect(fold?.head.length).toBeLessThan(foldLines * 73)
  expect(fold?.head.endsWith('word')).toBe(true)
})

it('cuts a line that never ends, between whole characters', () => {
  const head = foldOf(`x${'🥘'.repeat(100_000)}`)?.head ?? ''
  expect(head.isWellFormed()).toBe(true)
  expect(head.length).toBeGreaterThan(1_000)
})
