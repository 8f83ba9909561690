import { describe, expect, it } from 'vitest'
import { branchRows } from './branch-rows.ts'

/** Rows of prompts given as their parents, in order of time. */
function rowsOf(parents: readonly number[]): number[] {
  const row = new Int32Array(parents.length)
  const rows = branchRows(
    parents.map((_, index) => index),
    parents,
    row,
  )
  expect(rows).toBe(parents.length === 0 ? 0 : Math.max(...row) + 1)
  return [...row]
}

describe('branchRows', () => {
  it('keeps a chain in one row', () => {
    expect(rowsOf([-1, 0, 1, 2])).toEqual([0, 0, 0, 0])
  })
  it('lets the first child stay and sends each later one below', () => {
    expect(rowsOf([-1, 0, 0, 0])).toEqual([0, 0, 1, 2])
  })
  it('uses a row again once nothing stands there right of the parent', () => {
    expect(rowsOf([-1, 0, 0, 1, 3, 3])).toEqual([0, 0, 1, 0, 0, 1])
  })
  it('skips a row in which a branch goes on beyond the parent', () => {
    expect(rowsOf([-1, 0, 0, 2, 0])).toEqual([0, 0, 1, 1, 2])
  })
  it('starts a branch of a branch below that branch', () => {
    expect(rowsOf([-1, 0, 0, 2, 2])).toEqual([0, 0, 1, 1, 2])
  })
  it('gives a prompt without a parent the first row', () => {
    expect(rowsOf([-1, 0, -1, 2])).toEqual([0, 0, 0, 0])
  })
  it('survives a parent that is newer than its child', () => {
    expect(rowsOf([1, -1, 1])).toEqual([0, 0, 0])
  })
})
