import { expect, test } from 'vitest'
import { createTextMender } from './text-mender.ts'

function mend(...pieces: string[]): string[] {
  const mender = createTextMender()
  return [...pieces.map((piece) => mender.push(piece)), mender.flush()]
}

// R083
test('NUL and lone surrogates become visible, the six characters \\u0000 stay', () => {
  expect(mend('a\u0000b\udc00c\\u0000').join('')).toBe('a\uFFFDb\uFFFDc\\u0000')
})

test('a pair cut between two pieces survives', () => {
  expect(mend('a\ud83d', '\ude00b')).toEqual(['a', '😀b', ''])
})

test('half a pair at the end or before something else is replaced', () => {
  expect(mend('a\ud83d')).toEqual(['a', '\uFFFD'])
  expect(mend('\ud83d', 'b')).toEqual(['', '\uFFFDb', ''])
  expect(mend('\ud83d', '\ud83d', '')).toEqual(['', '\uFFFD', '', '\uFFFD'])
})
