export const jsonDepthMax = 32

/**
 * What is wrong with the shape of a valid JSON text although it parses: too deep, or a name given twice in one
 * object, of which `JSON.parse` would silently keep the last. Null where nothing is.
 */
export function jsonShapeFault(text: string): string | null {
  const open: (Set<string> | null)[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '{' || char === '[') {
      open.push(char === '{' ? new Set() : null)
      if (open.length > jsonDepthMax) return `must not be nested more than ${jsonDepthMax} levels deep`
    } else if (char === '}' || char === ']') {
      open.pop()
    } else if (char === '"') {
      const end = endOfString(text, at)
      const names = open.at(-1)
      if (names && isName(text, end)) {
        const name: unknown = JSON.parse(text.slice(at, end + 1))
        if (typeof name === 'string' && names.has(name)) return `must not give ${name.slice(0, 100)} twice`
        names.add(String(name))
      }
      at = end
    }
  }
  return null
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}

/** Whether the string that ends at `end` is followed by a colon. */
function isName(text: string, end: number): boolean {
  let at = end + 1
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++
  return text[at] === ':'
}
