/** The opening words of a title, to be named within a sentence: cut between words where that is possible. */
export function shortTitle(title: string, charsMax = 28): string {
  const characters = [...title.replace(/\s+/g, ' ').trim()]
  if (characters.length <= charsMax) return characters.join('')
  const space = characters.lastIndexOf(' ', charsMax - 1)
  const cut = characters.slice(0, space > charsMax / 3 ? space : charsMax - 1).join('')
  return `${cut.replace(/[\s,.;:–-]+$/, '')}…`
}
