import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasFootnotes, linkDefinitions, splitBlocks } from './split-blocks.ts'

describe('splitBlocks', () => {
  it.each<[string, string, string[]]>([
    ['paragraphs', 'one\ntwo\n\nthree\n\n\nfour\n', ['one\ntwo', 'three', 'four']],
    ['nothing', '\n\n', []],
    ['a fence with blank lines', 'a\n\n```js\nb\n\nc\n```\n\nd', ['a', '```js\nb\n\nc\n```', 'd']],
    ['a fence that is still open', '~~~\na\n\n# b', ['~~~\na\n\n# b']],
    ['a longer fence around a shorter', '````\n```\n\n```\n````\n\na', ['````\n```\n\n```\n````', 'a']],
    ['backticks that are a span', '``` a ```\n\nb', ['``` a ```', 'b']],
    ['a loose list', '- a\n\n- b\n\n  more of b\n\nc', ['- a\n\n- b\n\n  more of b', 'c']],
    ['a numbered list', '1. a\n\n2. b\n\n- c', ['1. a\n\n2. b\n\n- c']],
    ['a fence in a list', '- a\n\n  ```\n  b\n\n  c\n  ```\n\nd', ['- a\n\n  ```\n  b\n\n  c\n  ```', 'd']],
    ['a fence right at an item', '1. ```\n   a\n\n   b\n   ```\n\nc', ['1. ```\n   a\n\n   b\n   ```', 'c']],
    ['Windows lines', 'a\r\n\r\nb', ['a', 'b']],
  ])('keeps together %s', (_, markdown, blocks) => {
    expect(splitBlocks(markdown)).toEqual(blocks)
  })

  const line = fc.constantFrom(
    'a',
    '- b',
    '  c',
    '```',
    '~~~',
    '',
    '',
    '# d',
    '1. e',
    '> f',
    '```js',
    '[x]: http://y',
  )
  const texts = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'))

  it('loses no line and changes none', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const filled = (value: string) => value.split('\n').filter((part) => part.trim() !== '')
        expect(filled(splitBlocks(text).join('\n'))).toEqual(filled(text))
      }),
    )
  })

  it('leaves all but the last two blocks alone when text arrives at the end', () => {
    fc.assert(
      fc.property(texts, texts, (text, more) => {
        const before = splitBlocks(text).slice(0, -2)
        expect(splitBlocks(text + more).slice(0, before.length)).toEqual(before)
      }),
    )
  })
})

describe('what blocks share', () => {
  it('collects definitions of links, not of footnotes', () => {
    expect(linkDefinitions(splitBlocks('a [b][c]\n\n[c]: https://d.example\n[^1]: note'))).toBe(
      '[c]: https://d.example',
    )
  })
  it('notices footnotes', () => {
    expect(hasFootnotes('a[^1]\n\n[^1]: b')).toBe(true)
    expect(hasFootnotes('a[^1]')).toBe(false)
  })
})
