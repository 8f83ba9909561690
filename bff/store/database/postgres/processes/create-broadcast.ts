import { sql } from 'drizzle-orm'
import type { Log } from '../../../../domain/ports.ts'
import type { Broadcast, BroadcastListener } from '../../broadcast.ts'
import type { Queryable } from '../../database.ts'
import { sqlArray } from '../../sql-values.ts'
import { payloadBytesMax } from './signal-payload.ts'

/** Where processes hear what they tell each other beside the signals: the text of running attempts. */
export const broadcastChannel = 'mission_field_deltas'

export interface OpenBroadcast extends Broadcast {
  /** What the ear heard on the channel. */
  receive(payload: string): void
  gap(): void
}

/** A payload is the sender's id, a blank, and the message. A NOTIFY that writes no row costs no sync of the disk. */
export function createBroadcast(queryable: Queryable, origin: string, log: Log): OpenBroadcast {
  const listeners = new Set<BroadcastListener>()
  const tell = (what: (listener: BroadcastListener) => void): void => {
    for (const listener of [...listeners]) {
      try {
        what(listener)
      } catch (error) {
        log.error({ err: error }, 'a listener to other processes broke')
      }
    }
  }
  return {
    messageBytesMax: payloadBytesMax - origin.length - 1,
    async say(messages) {
      if (messages.length === 0) return
      const payloads = messages.map((message) => `${origin} ${message}`)
      await queryable.rows(sql`
        select pg_notify(${broadcastChannel}, said.payload)
        from unnest(${sqlArray(payloads, 'text')}) with ordinality as said(payload, place) order by said.place`)
    },
    hear(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    receive(payload) {
      const blank = payload.indexOf(' ')
      const from = payload.slice(0, blank)
      if (blank > 0 && from !== origin) tell((listener) => listener.onMessage(from, payload.slice(blank + 1)))
    },
    gap: () => tell((listener) => listener.onGap()),
  }
}
