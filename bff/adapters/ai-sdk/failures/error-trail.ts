const depthMax = 8

/**
 * Every code, name and message along an error's causes, lower case, outermost first. The one that tells (`ECONNREFUSED`)
 * is often two causes deep, or inside an `AggregateError` when several addresses were tried.
 */
export function errorTrail(error: unknown): readonly string[] {
  const trail: string[] = []
  const visit = (value: unknown, depth: number) => {
    if (depth > depthMax || typeof value !== 'object' || value === null) return
    for (const key of ['code', 'name', 'message'] as const) {
      const text: unknown = Reflect.get(value, key)
      if (typeof text === 'string') trail.push(text.toLowerCase())
    }
    if (value instanceof AggregateError) for (const inner of value.errors) visit(inner, depth + 1)
    visit(Reflect.get(value, 'cause'), depth + 1)
  }
  visit(error, 0)
  return trail
}
