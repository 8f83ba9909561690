import { expect, test } from 'vitest'
import { quotable, redact } from './plain-words.ts'

test.each([
  ['Incorrect API key provided: sk-proj-abc123DEF456.', 'sk-proj-abc123DEF456'],
  ['Authorization: Bearer eyJhbGciOi.J9-x_y', 'eyJhbGciOi'],
  ['key=AIzaSyA-1234567890abc', 'AIzaSyA'],
  ['GET https://user:hunter22@host/v1', 'hunter22'],
  ['the secret is plum-tree', 'plum-tree'],
])('"%s" loses its secret', (text, secret) => {
  expect(redact(text, ['plum-tree'])).not.toContain(secret)
})

test('plain text is left as it is', () => {
  const text = 'Unsupported value for max_tokens: the task-based key is missing.'
  expect(redact(text, [''])).toBe(text)
})

test('a plain sentence is quotable, without its full stop', () => {
  expect(quotable('Temperature must be below 2.', [])).toBe('Temperature must be below 2')
})

test.each([
  '<b>bold</b>',
  '{"error": 1}',
  'TypeError at handler.js:10:3',
  'see https://example.com/errors',
  'wrong key sk-abcdefgh12345',
  '',
  '[object Object]',
])('"%s" is not quotable', (message) => {
  expect(quotable(message, [])).toBe('')
})

test('a long or broken sentence is cut and mended', () => {
  expect(quotable('word '.repeat(200), []).length).toBeLessThanOrEqual(160)
  expect(quotable('NUL \u0000 here', [])).toBe('NUL \uFFFD here')
})
