import { type Command, InvalidArgumentError, Option } from 'commander'
import * as z from 'zod/mini'
import { uuid } from '../../../shared/ids.ts'

/** Every verb answers people with words and tables, and programs with `--json`. */
export function addVerb(program: Command, usage: string, summary: string): Command {
  return program
    .command(usage)
    .description(summary)
    .allowExcessArguments(false)
    .option('--json', 'print JSON, for programs')
}

/** The id of a job, in either case; anything else is wrong usage. */
export function jobId(text: string): string {
  return parsedId(text, 'job id')
}

/** The id of a prompt or thread; as `jobId`. */
export function promptId(text: string): string {
  return parsedId(text, 'id')
}

export function orgOption(): Option {
  return new Option('--org <id>', 'only this org').argParser((text) => parsedId(text, 'org id'))
}

export function numberOption(flags: string, summary: string, min: number, max: number): Option {
  const inRange = z.int().check(z.gte(min), z.lte(max))
  return new Option(flags, `${summary}, ${min} to ${max}`).argParser((text) => {
    const parsed = inRange.safeParse(/^\d+$/.test(text) ? Number(text) : null)
    if (!parsed.success) throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
    return parsed.data
  })
}

export function sinceOption(summary: string): Option {
  return new Option('--since <time>', summary).argParser(instantOf)
}

/** A day or time that has passed. */
export function pastOption(flags: string, summary: string): Option {
  return new Option(flags, summary).argParser((text) => {
    const instant = instantOf(text)
    if (new Date(instant).getTime() > Date.now()) throw new InvalidArgumentError('It lies in the future.')
    return instant
  })
}

/** A day or a time in ISO 8601; without a zone it is this machine's. Kept as an instant in UTC. */
function instantOf(text: string): string {
  const shape = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/
  // A day alone would be read as UTC.
  const at = shape.test(text) ? new Date(text.includes('T') ? text : `${text}T00:00`) : new Date(Number.NaN)
  if (Number.isNaN(at.getTime())) {
    throw new InvalidArgumentError('It must be a day or time such as 2026-01-31 or 2026-01-31T09:00Z.')
  }
  return at.toISOString()
}

function parsedId(text: string, what: string): string {
  const parsed = uuid.safeParse(text.toLowerCase())
  if (!parsed.success) throw new InvalidArgumentError(`It is no ${what}: a ${what} is a UUID.`)
  return parsed.data
}
