/**
 * What processes on one database tell each other beside the signals, as it happens: stored nowhere, and lost where
 * nobody listens. Messages of one process arrive in the order in which it said them.
 */
export interface Broadcast {
  /** What fits into one message, in bytes of UTF-8. */
  readonly messageBytesMax: number
  /**
   * To every other process, all in one statement; none of them may be empty or hold NUL.
   * @throws DomainError `database_unavailable`.
   */
  say(messages: readonly string[]): Promise<void>
  /** @returns a function that ends the subscription. */
  hear(listener: BroadcastListener): () => void
}

export interface BroadcastListener {
  /** @param from the process that said it: an id that it gave itself when it started. */
  onMessage(from: string, message: string): void
  /** The others were not heard for a while, and are again. */
  onGap(): void
}
