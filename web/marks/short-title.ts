/** The opening words of a title, to be named within a sentence: cut between words where that is possible. */
export function shortTitle(title: string, charsMax = 28): string {
  const characters = [...title.replace(/\s+/g, ' ').trim()]
  if (characters.length <= charsMax) return characters.join('')
  const cut = characters.slice(0, charsMax - 1).join('')
  const space = cut.lastIndexOf(' ')
  return `${(space > charsMax / 3 ? cut.slice(0, space) : cut).replace(/[\s,.;:–-]+$/, '')}…`
}
