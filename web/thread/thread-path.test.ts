import { expect, it } from 'vitest'
import { branchCount, threadPath } from './thread-path.ts'

/** root → a → b, and a second continuation of root: c → d. */
const parents: Readonly<Record<string, string>> = { a: 'root', b: 'a', c: 'root', d: 'c' }
const ids = ['root', 'a', 'b', 'c', 'd']
const parentOf = (id: string) => parents[id] ?? null
const read = (openId: string | null) => threadPath(ids, parentOf, openId).map(({ promptId }) => promptId)

it('goes on along the first continuation', () => {
  expect(read('root')).toEqual(['root', 'a', 'b'])
  expect(read(null)).toEqual(['root', 'a', 'b'])
})

it('goes through the open prompt, and on from there', () => {
  expect(read('c')).toEqual(['root', 'c', 'd'])
  expect(read('d')).toEqual(['root', 'c', 'd'])
})

it('says where the thread parts', () => {
  const steps = threadPath(ids, parentOf, 'd')
  expect(steps.map(({ branches }) => branches)).toEqual([['root'], ['a', 'c'], ['d']])
  expect(branchCount(ids, parentOf)).toBe(2)
})

it('a prompt whose predecessor is gone begins the thread', () => {
  expect(threadPath(['b', 'x'], (id) => (id === 'b' ? 'gone' : 'b'), 'x')).toHaveLength(2)
})

it('ends even if parents go in a circle', () => {
  expect(threadPath(['p', 'q'], (id) => (id === 'p' ? 'q' : 'p'), 'p')).toEqual([])
})
