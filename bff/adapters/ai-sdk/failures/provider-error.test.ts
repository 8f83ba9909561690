import { expect, test } from 'vitest'
import { errorInTail, readProviderError } from './provider-error.ts'

test.each([
  [{ error: { message: 'busy', type: 'server_error', code: 503 } }, 503, 'busy'],
  [{ error: { message: 'busy', code: '503' } }, 503, 'busy'],
  [{ type: 'error', error: { type: 'overloaded_error', message: 'busy' } }, null, 'busy'],
  [{ error: 'busy' }, null, 'busy'],
  [{ detail: 'busy' }, null, 'busy'],
  [{ code: 500, message: 'busy' }, 500, 'busy'],
  [[{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'busy' } }], 429, 'busy'],
])('%j is an error', (body, status, message) => {
  expect(readProviderError(body)).toMatchObject({ status, message })
})

test.each([[{}], [{ choices: [] }], [{ error: null, choices: [] }], ['text'], [null], [[]], [42]])(
  '%j is none',
  (body) => {
    expect(readProviderError(body)).toBeNull()
  },
)

test('a code that is no status is a word, and a wild number is neither', () => {
  expect(readProviderError({ error: { code: 'rate_limit_exceeded', type: 'Tokens' } })).toMatchObject({
    status: null,
    words: 'rate_limit_exceeded tokens',
  })
  expect(readProviderError({ error: { code: 10_013 } })).toMatchObject({ status: null, words: '' })
})

// R057
test('an answer that writes about errors has none in its tail', () => {
  const said = JSON.stringify({
    choices: [{ delta: { content: 'Send {"error": {"code": 1}}\nerror: {"a":1}' } }],
  })
  expect(errorInTail(`data: ${said}\n\n`)).toBeNull()
  expect(errorInTail('')).toBeNull()
})
