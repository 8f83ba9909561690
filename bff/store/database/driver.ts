/** Runs one statement; `parameters` are in PostgreSQL's text form, the rows' values as `rowParsers` makes them. */
export type Run = (text: string, parameters?: readonly (string | null)[]) => Promise<object[]>

/**
 * What PGlite and PostgreSQL supply; `createDatabase` builds everything else on it, so that both behave alike.
 * `run` rejects with a `StatementError` when the server refuses a statement, and with anything else when the
 * connection is gone; after that it keeps rejecting for as long as the connection is held.
 */
export interface Driver {
  readonly kind: 'pglite' | 'postgres'
  /**
   * Gives `work` a connection that nobody else uses meanwhile, in the order of asking. What is sent on it without
   * waiting runs in the order of sending.
   */
  hold<T>(work: (run: Run) => Promise<T>): Promise<T>
  /** Called once, when no connection is held any more. */
  close(): Promise<void>
}
