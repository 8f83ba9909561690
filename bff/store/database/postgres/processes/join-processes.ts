import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type SQL, sql } from 'drizzle-orm'
import type { Log } from '../../../../domain/ports.ts'
import { generalSignals, isForOthers, type Signal } from '../../../../domain/signals.ts'
import type { Broadcast } from '../../broadcast.ts'
import type { Database } from '../../database.ts'
import { distinctSignals } from '../../signals.ts'
import { sqlArray } from '../../sql-values.ts'
import { createAnnouncer } from './announcer.ts'
import { broadcastChannel, createBroadcast } from './create-broadcast.ts'
import { openEar } from './open-ear.ts'
import { readPayload, signalChannel, signalPayloads } from './signal-payload.ts'

export interface JoinOptions {
  /** Direct, not through a pooler in transaction mode. */
  url: string
  log: Log
  /** How often to look by oneself, only where a NOTIFY does not come back. */
  pollMs: number
  /** How long the first NOTIFY may take to come back. */
  probeMs?: number
  /** Listens to the others; a test brings one that is deaf. */
  listen?: typeof openEar
}

/** A database whose signals are heard by every process that uses it. */
export interface JoinedDatabase extends Database {
  readonly broadcast: Broadcast
  /** Whether a NOTIFY of ours ever came back: a pooler in transaction mode swallows them. */
  hearsOthers(): boolean
}

/**
 * Joins this process with the others on the same PostgreSQL: what one commits, all hear.
 *
 * What others must act on goes by NOTIFY inside the transaction, so that a crash cannot come between the two; with
 * `announce: 'after'` it follows the commit instead, and the transaction resolves once it was sent. `events` only tell
 * streams that there is something to read: alone they follow the commit, many at once, and one that is lost in a crash
 * costs a stream the time until the next; with others they go inside. After a reconnect everything counts as signalled,
 * since nobody knows what was missed; where nothing is ever heard, everything counts as signalled every `pollMs`.
 */
export async function joinProcesses(database: Database, options: JoinOptions): Promise<JoinedDatabase> {
  const { url, log, pollMs, probeMs = probeMsDefault, listen = openEar } = options
  const origin = randomUUID()
  const notifying = (signals: readonly Signal[]): SQL =>
    sql`select pg_notify(${signalChannel}, payload)
      from unnest(${sqlArray(signalPayloads(origin, signals), 'text')}) as payload`

  let relaying = false
  const relay = (signals: readonly Signal[]): void => {
    relaying = true
    try {
      database.signals.publish(signals)
    } finally {
      relaying = false
    }
  }

  const broadcast = createBroadcast(database, origin, log)
  const proof = createProof()
  const ear = await listen({
    url,
    log,
    channels: [signalChannel, broadcastChannel],
    onPayload(channel, payload) {
      if (channel === broadcastChannel) return broadcast.receive(payload)
      const said = readPayload(payload)
      if (said === null) return
      if (said.origin === origin) proof.give()
      else relay(said.signals)
    },
    onGap() {
      relay(generalSignals)
      broadcast.gap()
    },
  })

  const announcer = createAnnouncer({
    send: async (signals) => {
      await database.rows(notifying(signals))
    },
    onError: (error) => log.warn({ err: error }, 'other processes could not be told of what was committed'),
  })
  const unsubscribe = database.signals.subscribe('events', (signal) => {
    if (!relaying) announcer.soon([signal])
  })

  await database.rows(notifying([]))
  const polling = (await proof.within(probeMs)) ? null : setInterval(() => relay(generalSignals), pollMs)
  // A machine that was only too busy when this started: what it hears later ends the polling.
  void proof.given.then(() => polling && clearInterval(polling))

  return {
    ...database,
    broadcast,
    hearsOthers: () => proof.isGiven(),
    async announce(signals) {
      await database.announce(signals)
      await announcer.now(signals.filter(isForOthers))
    },
    async transaction(work, transactionOptions = {}) {
      const after = transactionOptions.announce === 'after'
      let urgent: Signal[] = []
      const along = (said: readonly Signal[]): SQL | null => {
        urgent = urgentOf(said)
        // `events` go along where something goes anyway: the last commit of a process that dies is heard of.
        return after || urgent.length === 0 ? null : notifying([...urgent, ...eventsOf(said)])
      }
      try {
        const result = await database.transaction(work, { ...transactionOptions, along })
        if (after && urgent.length > 0) await announcer.now(urgent)
        return result
      } catch (error) {
        // Perhaps it was committed: nobody can know, and who hears it looks.
        if (after) announcer.soon(urgent)
        throw error
      }
    },
    async close() {
      if (polling) clearInterval(polling)
      unsubscribe()
      await announcer.close()
      await ear.close()
      await database.close()
    },
  }
}

/** `events` are announced apart. */
function urgentOf(said: readonly Signal[]): Signal[] {
  return distinctSignals(said).filter((signal) => signal.topic !== 'events' && isForOthers(signal))
}

function eventsOf(said: readonly Signal[]): Signal[] {
  return said.filter(({ topic }) => topic === 'events').slice(0, 1)
}

/** That what we say comes back to ourselves, given once. */
function createProof() {
  let isGiven = false
  let give = (): void => {}
  const given = new Promise<true>((resolve) => {
    give = () => {
      isGiven = true
      resolve(true)
    }
  })
  return {
    given,
    give: () => give(),
    isGiven: () => isGiven,
    async within(ms: number): Promise<boolean> {
      const giveUp = new AbortController()
      const late = wait(ms, false as const, { signal: giveUp.signal }).catch(() => false as const)
      const inTime = await Promise.race([given, late])
      giveUp.abort()
      return inTime
    },
  }
}

/** A round trip takes a few; a start does not wait longer for a pooler that swallows it. */
const probeMsDefault = 2_000
