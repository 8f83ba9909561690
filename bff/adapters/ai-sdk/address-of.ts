/** Host and port of a base URL for sentences, without credentials, path or query; the text itself is never shown. */
export function addressOf(baseUrl: string): string {
  return URL.canParse(baseUrl) && new URL(baseUrl).host !== '' ? new URL(baseUrl).host : 'the base URL'
}
