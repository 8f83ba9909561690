/** Time as the page sees it: tests advance their own, nothing else in `web/sync` reads the machine's. */
export interface PageClock {
  /** Epoch milliseconds. */
  now(): number
  /** Calls `fire` once, `delayMs` from now. Returns the way to disarm it. */
  after(delayMs: number, fire: () => void): () => void
}

export const browserClock: PageClock = {
  now: () => Date.now(),
  after(delayMs, fire) {
    const timer = setTimeout(fire, delayMs)
    return () => clearTimeout(timer)
  },
}
