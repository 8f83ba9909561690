import { type Failure, failure } from '../../../domain/failure.ts'

interface Sign {
  /** Matched against each code, name and message of the error's trail. */
  pattern: RegExp
  failure: (address: string) => Failure
}

/** First match wins; what cannot pass by itself comes before what may. */
const signs: readonly Sign[] = [
  {
    pattern: /^unexpected redirect/,
    failure: (address) =>
      failure(
        'provider_4xx',
        `The address ${address} leads elsewhere. Set the base URL to where it leads, then retry.`,
      ),
  },
  {
    pattern:
      /^err_invalid_url|invalid url|unknown scheme|failed to parse url|^bad port|includes credentials|not implemented/,
    failure: () =>
      failure(
        'provider_4xx',
        'The base URL is no web address. Write it whole, such as http://127.0.0.1:11434/v1, then retry.',
      ),
  },
  {
    pattern:
      /^err_tls|^err_ssl|^cert_|^depth_zero|self.signed|^unable_to_(verify|get)|^eproto|^hostname_mismatch/,
    failure: (address) =>
      failure(
        'provider_4xx',
        `The secure connection to ${address} was refused for its certificate or protocol. Check the base URL and the certificate, then retry.`,
      ),
  },
  {
    pattern: /bytestring|invalid header value/,
    failure: () =>
      failure('auth', 'The key holds characters that no request can carry. Paste it again, then retry.'),
  },
  {
    pattern: /^und_err_(headers|body)_timeout/,
    failure: (address) =>
      failure(
        'timeout',
        `The provider at ${address} was silent for too long. Try again, or choose a faster model.`,
      ),
  },
  {
    pattern: /^enotfound|^eai_/,
    failure: (address) =>
      failure(
        'provider_5xx',
        `The name of ${address} was not found. Check the base URL and the network, then retry.`,
      ),
  },
  {
    pattern: /^econnrefused/,
    failure: (address) =>
      failure(
        'provider_5xx',
        `Nothing answers at ${address}. Start the model server or check the base URL, then retry.`,
      ),
  },
  {
    pattern: /^hpe_|^und_err_http_parser|^httpparsererror/,
    failure: (address) =>
      failure('parse', `What answers at ${address} does not speak HTTP. Check the base URL, then retry.`, {
        retryable: true,
      }),
  },
  {
    pattern:
      /^econnreset|^epipe|^etimedout|^ehostunreach|^enetunreach|^enetdown|^econnaborted|^und_err|^terminated|^fetch failed|cannot connect/,
    failure: (address) =>
      failure(
        'provider_5xx',
        `The connection to ${address} broke. Try again, and check the network if it goes on.`,
      ),
  },
]

/** The failure that an error below HTTP means, null when its trail (`errorTrail`) shows none we know. */
export function connectionFailure(trail: readonly string[], address: string): Failure | null {
  const sign = signs.find(({ pattern }) => trail.some((step) => pattern.test(step)))
  return sign?.failure(address) ?? null
}
