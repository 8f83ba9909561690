import { expect, it } from 'vitest'
import { seededRandom } from '../../domain/testing/seeded-random.ts'
import { orderLines } from './order-lines.ts'

it('keeps the order of lines that need nothing', () => {
  expect(orderLines([[], [], []])).toEqual([[0], [1], [2]])
})

it('puts what is needed first, wherever it was sent', () => {
  expect(orderLines([[2], [], [1]])).toEqual([[1], [2], [0]])
})

it('finds circles of one, two and three lines, and leaves those that lead into one outside of it', () => {
  expect(orderLines([[0], [0]])).toEqual([[0], [1]])
  expect(orderLines([[1], [0], [0], []])).toEqual([[0, 1], [2], [3]])
  expect(orderLines([[1], [2], [0], [1]])).toEqual([[0, 1, 2], [3]])
  expect(orderLines([[1, 2], [0], [3], [2]])).toEqual([
    [2, 3],
    [0, 1],
  ])
})

it('orders a chain of a thousand lines sent backwards', () => {
  const needs = Array.from({ length: 1_000 }, (_, line) => (line < 999 ? [line + 1] : []))
  expect(orderLines(needs).flat()).toEqual(Array.from({ length: 1_000 }, (_, place) => 999 - place))
})

it('has every line once, and what it needs before it or in its circle, in any graph', () => {
  const random = seededRandom(7)
  for (let round = 0; round < 300; round++) {
    const size = 1 + Math.floor(random() * 12)
    const needs = Array.from({ length: size }, () =>
      Array.from({ length: Math.floor(random() * 3) }, () => Math.floor(random() * size)),
    )
    const groups = orderLines(needs)
    expect(groups.flat().sort((a, b) => a - b)).toEqual(needs.map((_, line) => line))
    const place = new Map(groups.flatMap((group, index) => group.map((line) => [line, index])))
    needs.forEach((needed, line) => {
      for (const one of needed) expect(place.get(one)).toBeLessThanOrEqual(place.get(line) ?? -1)
    })
    for (const group of groups)
      expect(group.every((line) => group.every((to) => reaches(needs, line, to)))).toBe(true)
  }
})

/** Whether `from` leads to `to` in any number of steps, none among them. */
function reaches(needs: readonly (readonly number[])[], from: number, to: number): boolean {
  const seen = new Set([from])
  for (const line of seen) for (const next of needs[line] ?? []) seen.add(next)
  return seen.has(to)
}
