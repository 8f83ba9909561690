/** How a long-running verb learns that it is to end. */
export interface EndSignal {
  /** Resolves with the first SIGTERM, SIGINT or SIGHUP; a second one ends the process at once. */
  readonly asked: Promise<NodeJS.Signals>
  wasAsked(): boolean
}

const endings: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP']
const exitCodes: Readonly<Record<string, number>> = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }

/** Listens for as long as the process lives, so that a signal during start or end is not the system's own end. */
export function awaitEnd(): EndSignal {
  let first: NodeJS.Signals | null = null
  const asked = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of endings) {
      process.on(signal, () => {
        if (first !== null) process.exit(exitCodes[signal] ?? 1)
        first = signal
        resolve(signal)
      })
    }
  })
  return { asked, wasAsked: () => first !== null }
}

/**
 * Runs the steps of an orderly end one after the other, each whatever became of the one before, and no longer than
 * `limitMs` altogether: what is not handed back by then is reclaimed by whoever comes next.
 *
 * @returns whether every step ended well and in time.
 */
export async function endInOrder(
  steps: readonly (() => Promise<void> | void)[],
  limitMs: number,
  onFailure: (error: unknown) => void,
): Promise<boolean> {
  let well = true
  const all = async (): Promise<void> => {
    for (const step of steps) {
      try {
        await step()
      } catch (error) {
        well = false
        onFailure(error)
      }
    }
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limitMs)
  })
  const outcome = await Promise.race([all(), late])
  clearTimeout(timer)
  return well && outcome !== 'late'
}
