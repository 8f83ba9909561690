import { CommanderError, InvalidArgumentError } from 'commander'
import { DomainError } from '../../domain/errors.ts'
import { visible } from './output.ts'

/** How a command that did not succeed ends: one plain line on stderr, and its exit code. */
export interface Refusal {
  exitCode: 1 | 2
  line: string
}

/** Wrong usage beyond what the parser can tell: a combination that is impossible. Exit code 2. */
export class UsageError extends Error {}

/** What was asked for was done, and did not turn out well: one line, exit code 1. */
export class Unsuccessful extends Error {}

/**
 * 1: refused or failed, with the stable code at the end of the line. 2: wrong usage. Null: help or version was asked
 * for, which is no failure.
 *
 * @param onDefect hears of errors that nobody expected; their words are not for people.
 */
export function refusalOf(error: unknown, onDefect: (error: unknown) => void): Refusal | null {
  if (error instanceof DomainError) {
    return { exitCode: 1, line: `mission: ${visible(error.message)} (${error.code})` }
  }
  if (error instanceof Unsuccessful) return { exitCode: 1, line: `mission: ${visible(error.message)}` }
  if (error instanceof UsageError || error instanceof InvalidArgumentError) {
    return { exitCode: 2, line: `mission: ${visible(error.message)}` }
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return null
    return { exitCode: 2, line: `mission: ${visible(error.message.replace(/^error: /, ''))}` }
  }
  onDefect(error)
  return {
    exitCode: 1,
    line: 'mission: Something went wrong inside; log/mission.ndjson in the data directory says what. (internal)',
  }
}
