import { expect, test } from 'vitest'
import { connectionFailure } from './connection-failure.ts'
import { errorTrail } from './error-trail.ts'

/** An error as Node's fetch throws it: the code that tells is some causes deep. */
function thrown(code: string, message = 'it failed') {
  const cause = Object.assign(new Error(message), { code })
  return new Error('Cannot connect to API', { cause: new TypeError('fetch failed', { cause }) })
}

test.each([
  ['ECONNREFUSED', 'provider_5xx', true],
  ['ECONNRESET', 'provider_5xx', true],
  ['UND_ERR_SOCKET', 'provider_5xx', true],
  ['UND_ERR_CONNECT_TIMEOUT', 'provider_5xx', true],
  ['ETIMEDOUT', 'provider_5xx', true],
  ['EHOSTUNREACH', 'provider_5xx', true],
  ['ENOTFOUND', 'provider_5xx', true],
  ['EAI_AGAIN', 'provider_5xx', true],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout', true],
  ['UND_ERR_BODY_TIMEOUT', 'timeout', true],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'provider_4xx', false],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'provider_4xx', false],
  ['CERT_HAS_EXPIRED', 'provider_4xx', false],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'provider_4xx', false],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'provider_4xx', false],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'provider_4xx', false],
  ['ERR_INVALID_URL', 'provider_4xx', false],
  ['HPE_INVALID_CONSTANT', 'parse', true],
])('%s is %s, retried: %s', (code, kind, retryable) => {
  expect(connectionFailure(errorTrail(thrown(code)), 'host:1')).toMatchObject({ kind, retryable })
})

test('the code is found among the addresses that were tried', () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  const error = new TypeError('fetch failed', { cause: new AggregateError([refused, refused]) })
  expect(connectionFailure(errorTrail(error), 'host:1')?.message).toContain('Nothing answers at host:1')
})

test('an error that is none of the network is left to others', () => {
  expect(connectionFailure(errorTrail(new Error('draft is full')), 'host:1')).toBeNull()
  expect(connectionFailure(errorTrail('a string'), 'host:1')).toBeNull()
})

test('causes in a circle end', () => {
  const error = new Error('round')
  error.cause = error
  expect(errorTrail(error).length).toBeLessThan(40)
})
