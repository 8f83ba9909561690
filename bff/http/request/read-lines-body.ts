import { readBodyText, readJson, readJsonBody } from './read-body.ts'

/** A line that is no JSON; `fault` says what is wrong with it, in words that follow its name. */
export class UnreadableLine {
  readonly text: string
  readonly fault: string

  constructor(text: string, fault: string) {
    this.text = text
    this.fault = fault
  }
}

/**
 * A body that is JSON, or NDJSON whose lines are the items of `field`, as if they had been sent in that list. Blank lines
 * are passed over; one that cannot be read is an `UnreadableLine` at its place, so that the others may still be taken.
 *
 * @throws DomainError as `readJsonBody` does.
 */
export async function readLinesBody(request: Request, field: string): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!linesType.test(type)) return readJsonBody(request, 'application/json or application/x-ndjson')
  const text = (await readBodyText(request, (sent) => linesType.test(sent), 'application/x-ndjson')) ?? ''
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return { [field]: lines.map(readLine) }
}

const linesType = /^application\/(x-ndjson|ndjson|jsonl|x-jsonlines)\s*(;\s*charset="?utf-8"?\s*)?$/i

function readLine(text: string): unknown {
  const { value, fault } = readJson(text)
  return fault === null ? value : new UnreadableLine(text, fault)
}
