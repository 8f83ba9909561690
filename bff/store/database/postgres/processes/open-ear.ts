import type { Log } from '../../../../domain/ports.ts'
import { connectionProblem, postgresClient } from '../postgres-client.ts'

export interface EarOptions {
  url: string
  channels: readonly string[]
  onPayload: (channel: string, payload: string) => void
  /** Listening again after the connection was lost: nobody knows what was said meanwhile. */
  onGap: () => void
  log: Log
}

export interface Ear {
  close(): Promise<void>
}

/**
 * Listens on one connection of its own, and again within a second of every loss of it.
 *
 * @throws DomainError `database_unavailable`.
 */
export async function openEar({ url, channels, onPayload, onGap, log }: EarOptions): Promise<Ear> {
  const client = postgresClient({ url, applicationName: 'mission-field signals', prepare: false }, unwatched)
  // The driver's own delays between attempts grow to many seconds.
  Object.assign(client.options, { backoff: () => reconnectSeconds })
  const connections = new Map(channels.map((channel) => [channel, 0]))
  let gaps = 0
  const onListening = (channel: string): void => {
    const times = (connections.get(channel) ?? 0) + 1
    connections.set(channel, times)
    // After a loss the channels are listened to one by one: only with the last of them has the gap ended.
    const gapsEnded = Math.min(...connections.values()) - 1
    if (gapsEnded <= gaps) return
    gaps = gapsEnded
    log.warn({ gaps }, 'listening to other processes again')
    onGap()
  }
  try {
    for (const channel of channels) {
      await client.listen(
        channel,
        (payload) => onPayload(channel, payload),
        () => onListening(channel),
      )
    }
  } catch (error) {
    await client.end({ timeout: 0 })
    throw connectionProblem(error)
  }
  return { close: () => client.end({ timeout: endSeconds }) }
}

/** The driver listens on a second connection, whose losses it mends itself. */
const unwatched = { onOpen() {}, onLost() {} }
const reconnectSeconds = 0.3
const endSeconds = 1
