import { expect, test } from 'vitest'
import { shortened, tableText, visible, visibleLines } from './output.ts'

test('a table lines its columns up and says when a cell has nothing', () => {
  const columns = [
    { heading: 'ID', of: (row: { id: string; error: string | null }) => row.id },
    { heading: 'ERROR', of: (row: { error: string | null }) => row.error },
  ]
  const rows = [
    { id: 'a', error: null },
    { id: 'long', error: 'parse' },
  ]
  expect(tableText(columns, rows)).toBe('ID    ERROR\na     –\nlong  parse')
})

test('what a prompt holds cannot command the terminal or break a row', () => {
  expect(visible('red \u001b[31m\u0007 bell\r\nnext\u202e')).toBe('red \\u{1b}[31m\\u{7} bell next\\u{202e}')
  expect(visible('Grüße, 日本 👩‍🚀')).toContain('日本')
})

test('an answer keeps its lines and spaces, and cannot command the terminal either', () => {
  expect(visibleLines('a  b\r\n\n\tc\u001b[2J')).toBe('a  b\n\n\tc\\u{1b}[2J')
})

test('a cut is shown and splits no character', () => {
  expect(shortened('🚀🚀🚀', 2)).toBe('🚀…')
  expect(shortened('ab', 2)).toBe('ab')
})
