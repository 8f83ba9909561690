/**
 * Text from a provider or scheduler, made storable: U+0000 and unpaired surrogates become U+FFFD, visibly;
 * everything else, the six characters `\u0000` included, stays. Done before any JSON encoding, where it would do nothing.
 */
export function storable(text: string): string {
  return withoutNul(text).toWellFormed()
}

/** The same for a piece of a text, whose last character may be only half there yet. */
export function withoutNul(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD')
}

/** The opening words of a text on one line, `charsMax` UTF-16 units at most, cut at a word where one is near. */
export function excerpt(text: string, charsMax: number): string {
  const flat = text
    .slice(0, charsMax * 4)
    .replace(/\s+/g, ' ')
    .trim()
  if (flat.length <= charsMax) return flat.toWellFormed()
  const cut = flat.slice(0, charsMax - 1)
  const space = cut.lastIndexOf(' ')
  return `${(space > charsMax * 0.7 ? cut.slice(0, space) : cut).toWellFormed()}…`
}
