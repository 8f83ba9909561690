/**
 * What the body of a reply is, judged by its first characters rather than by its content type, which proxies and
 * small servers get wrong in both directions.
 */
export type BodyShape = 'events' | 'json' | 'broken-json' | 'page' | 'text' | 'empty'

const eventFields = ['data:', 'event:', 'id:', 'retry:', 'error:', ':']

/** The shape as far as `text` shows it, undefined while more of it is needed. */
export function shapeOf(text: string, ended: boolean, contentType: string): BodyShape | undefined {
  const start = text.trimStart().slice(0, 16)
  if (start === '') return ended ? 'empty' : undefined
  if (start.startsWith('{') || start.startsWith('[')) return 'json'
  if (start.startsWith('<')) return 'page'
  if (eventFields.some((field) => start.startsWith(field))) return 'events'
  if (contentType.includes('text/event-stream')) return 'events'
  if (!ended && eventFields.some((field) => field.startsWith(start))) return undefined
  return 'text'
}

/**
 * A whole chat completion as the one event of a stream, null when `value` is none. A server that ignored `stream: true`
 * has been paid for its answer, so it is read rather than thrown away.
 */
export function completionAsEvents(value: unknown): string | null {
  if (!isRecord(value) || !Array.isArray(value.choices)) return null
  const choice: unknown = value.choices[0]
  if (!isRecord(choice) || !isRecord(choice.message)) return null
  const { content, refusal, reasoning, reasoning_content } = choice.message
  const chunk = {
    ...value,
    choices: [
      {
        index: 0,
        delta: { content, refusal, reasoning, reasoning_content },
        finish_reason: choice.finish_reason ?? null,
      },
    ],
  }
  return `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`
}

/** Narrows parsed JSON to an object whose fields are still to be checked. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parsed JSON, undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
