import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../../../domain/ports.ts'
import type { Signal } from '../../../../domain/signals.ts'
import { connectionProblem, postgresClient } from '../postgres-client.ts'
import { readPayload, signalChannel } from './signal-payload.ts'

export interface HearingOptions {
  url: string
  /** Ours; what comes back from ourselves was acted upon already. */
  origin: string
  onSignals: (signals: readonly Signal[]) => void
  log: Log
}

export interface Ear {
  /** Resolves true with the first signal of our own that comes back, false after `ms`. */
  heardItself(ms: number): Promise<boolean>
  close(): Promise<void>
}

/**
 * Listens on a connection of its own, and again after every loss of it: within a second, and then as if everything had
 * been signalled, for nobody knows what was said meanwhile.
 *
 * @throws DomainError `database_unavailable`.
 */
export async function hearSignals({ url, origin, onSignals, log }: HearingOptions): Promise<Ear> {
  const client = postgresClient({ url, applicationName: 'mission-field signals' }, unwatched)
  // The driver's own delays between attempts grow to many seconds.
  Object.assign(client.options, { backoff: () => reconnectSeconds })
  let own: () => void = () => {}
  const heard = new Promise<true>((resolve) => {
    own = () => resolve(true)
  })
  const onPayload = (text: string): void => {
    const said = readPayload(text)
    if (said === null) return
    if (said.origin === origin) own()
    else onSignals(said.signals)
  }
  let connections = 0
  const onListening = (): void => {
    connections += 1
    if (connections === 1) return
    log.warn({ connections }, 'listening to other processes again')
    onSignals(everything)
  }
  try {
    await client.listen(signalChannel, onPayload, onListening)
  } catch (error) {
    await client.end({ timeout: 0 })
    throw connectionProblem(error)
  }
  return {
    async heardItself(ms) {
      const giveUp = new AbortController()
      const late = wait(ms, false as const, { signal: giveUp.signal }).catch(() => false as const)
      const heardIt = await Promise.race([heard, late])
      giveUp.abort()
      return heardIt
    },
    close: () => client.end({ timeout: endSeconds }),
  }
}

/** The driver listens on a second connection, whose losses it mends itself. */
const unwatched = { onOpen() {}, onLost() {} }
const everything: readonly Signal[] = [
  { topic: 'job-queued' },
  { topic: 'deadlines' },
  { topic: 'events' },
  { topic: 'gates' },
  { topic: 'schedules' },
]
const reconnectSeconds = 0.3
const endSeconds = 1
