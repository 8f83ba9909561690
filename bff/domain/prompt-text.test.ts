import { describe, expect, it } from 'vitest'
import { errorMessageCharsMax } from '../../shared/text.ts'
import { failure } from './failure.ts'
import { excerpt, storable } from './prompt-text.ts'

const nul = String.fromCharCode(0)
const escapeText = String.raw`\u0000`

// R083
describe('storable text', () => {
  it.each([
    ['U+0000', `a${nul}b`, 'a\uFFFDb'],
    ['a lone high surrogate', 'a\uD83Db', 'a\uFFFDb'],
    ['a lone low surrogate', 'a\uDE00b', 'a\uFFFDb'],
    ['surrogates the wrong way round', '\uDE00\uD83D', '\uFFFD\uFFFD'],
  ])('shows where it held %s', (_, text, mended) => {
    expect(storable(text)).toBe(mended)
  })

  it.each([
    ['the six characters of an escape', `say ${escapeText} aloud`],
    ['characters outside the basic plane', 'smile 😀 and 𝔘'],
    ['tabs and newlines', 'a\tb\r\nc'],
    ['U+FFFD itself', '\uFFFD'],
    ['nothing', ''],
  ])('keeps %s as it is', (_, text) => {
    expect(storable(text)).toBe(text)
  })
})

describe('an excerpt', () => {
  it('is one line of the opening words', () => {
    expect(excerpt('  one\n\n two\tthree  ', 80)).toBe('one two three')
  })

  it.each([1, 5, 40, 79, 80, 81, 400])('of a text of %i words keeps to its length', (words) => {
    const short = excerpt('word '.repeat(words), 80)
    expect(short.length).toBeLessThanOrEqual(80)
    expect(short.endsWith('…')).toBe(words * 5 - 1 > 80)
  })

  it('never ends in half a character', () => {
    for (let length = 1; length < 12; length++)
      expect(excerpt('😀'.repeat(30), length).isWellFormed()).toBe(true)
  })
})

describe('the sentence of a failure', () => {
  it('is one line, mended and bounded', () => {
    const long = failure('unknown', `It${nul} failed.\n\n  Twice. ${'x'.repeat(2_000)}`)
    expect(long.message.startsWith('It\uFFFD failed. Twice. x')).toBe(true)
    expect(long.message).toHaveLength(errorMessageCharsMax)
    expect(long.message.endsWith('…')).toBe(true)
  })

  it('of exactly the length allowed is kept whole', () => {
    const text = 'y'.repeat(errorMessageCharsMax)
    expect(failure('unknown', text).message).toBe(text)
  })

  it('cut inside a character stays well-formed', () => {
    expect(failure('unknown', '😀'.repeat(errorMessageCharsMax)).message.isWellFormed()).toBe(true)
  })
})
