/**
 * A statement that the database refused, the same on both drivers. It carries no parameters and no detail line,
 * because these may hold a person's text, and errors get logged.
 */
export class StatementError extends Error {
  /** Five characters of SQLSTATE, such as `23505`. */
  readonly sqlState: string
  /** The violated constraint or unique index, where there is one. */
  readonly constraint: string | null

  constructor(message: string, sqlState: string, constraint: string | null) {
    super(message)
    this.name = 'StatementError'
    this.sqlState = sqlState
    this.constraint = constraint
  }
}

/** Whether a row with this key is there already; name the constraint to be sure which key it was. */
export function isUniqueViolation(error: unknown, constraint?: string): error is StatementError {
  return (
    error instanceof StatementError &&
    error.sqlState === '23505' &&
    (constraint === undefined || error.constraint === constraint)
  )
}

/** Whether the disk or the quota is full; reads go on, and nothing that was acknowledged is lost. */
export function isDiskFull(error: unknown): error is StatementError {
  return error instanceof StatementError && error.sqlState === '53100'
}

/**
 * The refusal that a driver's error stands for, or null when it is not the server's word on a statement.
 * PGlite names the constraint `constraint`, postgres.js `constraint_name`; both put SQLSTATE into `code`.
 */
export function toStatementError(error: unknown): StatementError | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  const { code } = error
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return null
  const named = textOf(error, 'constraint') ?? textOf(error, 'constraint_name')
  return new StatementError(error.message, code, named)
}

function textOf(error: object, field: string): string | null {
  const value: unknown = Reflect.get(error, field)
  return typeof value === 'string' && value !== '' ? value : null
}
