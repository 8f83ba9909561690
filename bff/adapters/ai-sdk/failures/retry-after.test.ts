import { expect, test } from 'vitest'
import { readRetryAfter } from './retry-after.ts'

const receivedAt = new Date('2026-03-01T12:00:00Z')
const dayMs = 24 * 60 * 60 * 1_000

function wait(retryAfter: string, more: Record<string, string> = {}) {
  return readRetryAfter(new Headers({ 'retry-after': retryAfter, ...more }), receivedAt)?.waitMs
}

// R059
test.each([
  ['5', 5_000],
  ['0', 0],
  ['1.5', 1_500],
  ['Sun, 01 Mar 2026 12:00:10 GMT', 10_000],
  ['Sunday, 01-Mar-26 12:00:10 GMT', 10_000],
  ['Sun Mar  1 12:00:10 2026', 10_000],
  ['Sun, 01 Mar 2026 11:59:00 GMT', 0],
])('"%s" is honoured', (header, waitMs) => {
  expect(wait(header)).toBe(waitMs)
})

test.each(['-1', '', '120, 60', 'soon', '2026-03-01T12:00:10Z', '5 s', 'NaN', 'Infinity', '0x10'])(
  '"%s" is junk',
  (header) => {
    expect(wait(header)).toBeUndefined()
  },
)

test.each(['1000000000', '1e9', '1e400', 'Mon, 01 Mar 2027 12:00:00 GMT'])(
  '"%s" is capped at a day, and says so',
  (header) => {
    expect(readRetryAfter(new Headers({ 'retry-after': header }), receivedAt)).toEqual({
      waitMs: dayMs,
      capped: true,
    })
  },
)

test('a date is measured against the Date of the reply, whatever our clock says', () => {
  const date = 'Sun, 01 Mar 2026 15:00:00 GMT'
  expect(wait('Sun, 01 Mar 2026 15:00:10 GMT', { date })).toBe(10_000)
  expect(wait('Sun, 01 Mar 2026 12:00:10 GMT', { date: 'junk' })).toBe(10_000)
})

test('milliseconds win over seconds, unless they are junk', () => {
  expect(wait('5', { 'retry-after-ms': '250' })).toBe(250)
  expect(wait('5', { 'retry-after-ms': 'x' })).toBe(5_000)
  expect(readRetryAfter(new Headers({ 'retry-after-ms': '250' }), receivedAt)?.waitMs).toBe(250)
})

test('no header, no wait', () => {
  expect(readRetryAfter(new Headers(), receivedAt)).toBeUndefined()
})
