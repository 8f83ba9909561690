/**
 * Runs `read` for many who ask at once: never two at a time, and whoever asks is answered by one that began after they
 * asked. Rejects with the error of that reading.
 */
export function createRefresher(read: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  const refresh = (): Promise<void> => {
    if (running === null) {
      running = read().finally(() => {
        running = null
      })
      return running
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = null
        return refresh()
      })
    return next
  }
  return refresh
}
