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
  steps: readonly (() => Promise<void>)[],
  limitMs: number,
  onFailure: (error: unknown) => void,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs)
  })
  const ended = await Promise.race([runSteps(steps, onFailure), late])
  clearTimeout(timer)
  return ended
}

async function runSteps(
  steps: readonly (() => Promise<void>)[],
  onFailure: (error: unknown) => void,
): Promise<boolean> {
  let allWell = true
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      allWell = false
      onFailure(error)
    }
  }
  return allWell
}
