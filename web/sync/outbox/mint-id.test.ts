import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { uuid } from '../../../shared/ids.ts'
import { createIdMint, mintId } from './mint-id.ts'

test('an id is a UUID of version 7 that begins with its time', () => {
  const mint = createIdMint(
    () => 0x0123456789ab,
    (bytes) => bytes.fill(0xff),
  )
  const id = mint()
  expect(z.safeParse(uuid, id).success).toBe(true)
  expect(id).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-ffffffffffff$/)
})

test('ids made one after the other sort that way, within a millisecond, over its end, and with a clock set back', () => {
  let nowMs = 1_000
  const mint = createIdMint(
    () => nowMs,
    (bytes) => crypto.getRandomValues(bytes),
  )
  const ids = Array.from({ length: 10_000 }, (_, index) => {
    if (index === 6_000) nowMs = 500
    return mint()
  })
  expect([...ids].sort()).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test('the real one never repeats itself', () => {
  const ids = Array.from({ length: 1_000 }, mintId)
  expect(new Set(ids).size).toBe(1_000)
})
