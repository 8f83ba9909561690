export interface Backoff {
  /** How long to wait before the next try, in milliseconds; longer each time. */
  next(): number
  reset(): void
}

/** 1, 2, 4 … 30 s, each between half and whole, so that many pages do not come back in step; never under 1 s. */
export function createBackoff(random: () => number, minMs = 1_000, maxMs = 30_000): Backoff {
  let tries = 0
  return {
    next() {
      const wholeMs = Math.min(maxMs, minMs * 2 ** tries)
      tries += 1
      return Math.max(minMs, Math.round(wholeMs * (0.5 + random() / 2)))
    },
    reset() {
      tries = 0
    },
  }
}
