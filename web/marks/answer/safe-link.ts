const protocols: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])

/** The address of a link within an answer, or null for all that is not plainly the web or mail. */
export function safeLink(address: string | null | undefined): string | null {
  if (!address || !URL.canParse(address)) return null
  return protocols.has(new URL(address).protocol) ? address : null
}
