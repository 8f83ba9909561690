import type { SseData } from '../../../shared/change.ts'
import type { Clock, Log } from '../../domain/ports.ts'
import type { Database } from '../../store/database/database.ts'
import { readGates } from '../../store/jobs/read-gates.ts'
import { createRefresher } from './refresher.ts'

const retryMs = 1_000

type GateChange = SseData<'provider.gate'>

/**
 * Which providers take no calls, followed while anybody listens: one reader of a process, woken by signals, and no
 * statement without listeners.
 */
export interface GateFeed {
  /** @returns the gates that are closed now, and the way out; `listener` hears of each that closes, opens or moves later. */
  subscribe(
    listener: (change: GateChange) => void,
  ): Promise<{ closed: readonly GateChange[]; leave: () => void }>
  close(): Promise<void>
}

interface Listener {
  hear: (change: GateChange) => void
  /** It was told what is closed; what changed before that is in there already. */
  isTold: boolean
}

export function createGateFeed(parts: { database: Database; clock: Clock; log: Log }): GateFeed {
  const { database, clock, log } = parts
  const listeners = new Set<Listener>()
  let known = new Map<string, string>()
  let disarm: (() => void) | null = null
  let last: Promise<void> = Promise.resolve()
  let isClosed = false

  const refresh = createRefresher(async () => {
    const gates = await readGates(database)
    const next = new Map(gates.map((gate) => [gate.provider, gate.closedUntil.toISOString()]))
    const changes = [...new Set([...known.keys(), ...next.keys()])]
      .filter((provider) => known.get(provider) !== next.get(provider))
      .map((provider) => ({ provider, closed_until: next.get(provider) ?? null }))
    known = next
    for (const change of changes) for (const each of listeners) if (each.isTold) each.hear(change)
  })

  const wake = (): void => {
    disarm?.()
    disarm = null
    if (isClosed || listeners.size === 0) return
    last = refresh().catch((error: unknown) => {
      log.warn({ err: error }, 'gates could not be read; trying again')
      if (!isClosed && listeners.size > 0)
        disarm ??= clock.at(new Date(clock.now().getTime() + retryMs), wake)
    })
  }
  const unsubscribe = database.signals.subscribe('gates', wake)

  return {
    async subscribe(hear) {
      const listener: Listener = { hear, isTold: false }
      listeners.add(listener)
      const leave = (): void => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        disarm?.()
        disarm = null
      }
      try {
        await refresh()
      } catch (error) {
        leave()
        throw error
      }
      listener.isTold = true
      return { closed: [...known].map(([provider, closed_until]) => ({ provider, closed_until })), leave }
    },
    async close() {
      isClosed = true
      unsubscribe()
      disarm?.()
      await last
    },
  }
}
