import type postgres from 'postgres'
import { DomainError } from '../../../domain/errors.ts'
import type { Driver, Run } from '../driver.ts'
import { toStatementError } from '../statement-error.ts'
import {
  connectionProblem,
  defaultConnectTimeoutMs,
  isConnectionState,
  type PostgresOptions,
  postgresClient,
} from './postgres-client.ts'

/**
 * A pool of our own, of postgres.js clients with one connection each. Its own pool sends the ROLLBACK of a
 * transaction whose connection was lost to a socket that is no more, which ends the process or blocks the pool;
 * here a connection that was lost is not used again, and its client is replaced.
 */
export function postgresDriver(options: PostgresOptions, connectionsMax: number): Driver {
  const idle: Slot[] = []
  const waiting: ((slot: Slot) => void)[] = []
  const slots = new Set<Slot>()

  const take = async (): Promise<Slot> => {
    const free = idle.pop()
    if (free) return free
    if (slots.size >= connectionsMax) return new Promise((resolve) => waiting.push(resolve))
    const slot = openSlot(options)
    slots.add(slot)
    return slot
  }

  const giveBack = (used: Slot): void => {
    let slot = used
    if (used.state === 'lost') {
      slots.delete(used)
      void used.client.end({ timeout: 0 })
      slot = openSlot(options)
      slots.add(slot)
    }
    slot.state = 'idle'
    const next = waiting.shift()
    if (next) next(slot)
    else idle.push(slot)
  }

  return {
    kind: 'postgres',

    async hold(work) {
      const slot = await take()
      try {
        return await work(runOn(slot))
      } finally {
        giveBack(slot)
      }
    },

    async close() {
      await Promise.all([...slots].map((slot) => slot.client.end({ timeout: closeTimeoutSeconds })))
    },
  }
}

const closeTimeoutSeconds = 5

interface Slot {
  readonly client: postgres.Sql
  /** `lost` is final for a holder: its transaction is gone, even though the client could connect anew. */
  state: 'idle' | 'used' | 'lost'
  connected: boolean
  /** Statements that have no answer yet. */
  readonly unanswered: Set<postgres.PendingQuery<postgres.Row[]>>
  readonly connectTimeoutMs: number
  /** Runs while a statement waits for its connection. */
  connectTimer?: NodeJS.Timeout
}

function openSlot(options: PostgresOptions): Slot {
  const client = postgresClient(options, {
    onOpen() {
      slot.connected = true
      clearTimeout(slot.connectTimer)
    },
    onLost() {
      slot.connected = false
      if (slot.state === 'used') slot.state = 'lost'
      for (const query of slot.unanswered) if (isUnsent(query)) query.cancel()
    },
  })
  const slot: Slot = {
    client,
    state: 'idle',
    connected: false,
    unanswered: new Set(),
    connectTimeoutMs: options.connectTimeoutMs ?? defaultConnectTimeoutMs,
  }
  return slot
}

function runOn(slot: Slot): Run {
  return async (text, parameters = []) => {
    if (slot.state === 'lost') {
      throw new DomainError('database_unavailable', lostWords)
    }
    slot.state = 'used'
    if (!slot.connected) armConnectTimer(slot)
    const query = slot.client.unsafe<postgres.Row[]>(text, [...parameters], { prepare: true })
    slot.unanswered.add(query)
    try {
      return [...(await query)]
    } catch (error) {
      if (isLost(slot) && isUnsent(query)) throw new DomainError('database_unavailable', lostWords)
      const refused = toStatementError(error)
      if (refused && !isConnectionState(refused.sqlState)) throw refused
      slot.state = 'lost'
      // An error without a code is ours, from `rowParsers`; what else the connection still holds is anybody's guess.
      throw error instanceof Error && !('code' in error) ? error : connectionProblem(error)
    } finally {
      slot.unanswered.delete(query)
      clearTimeout(slot.connectTimer)
    }
  }
}

const lostWords = 'The connection to the database was lost.'

/** Asked anew after a wait: the state may have changed meanwhile, which the compiler does not see. */
function isLost(slot: Slot): boolean {
  return slot.state === 'lost'
}

/**
 * Whether postgres.js has handed a statement to no connection yet. It would hand it to the next one, after the loss of the
 * one that its BEGIN was for, and it would be run outside of any transaction.
 */
function isUnsent(query: postgres.PendingQuery<postgres.Row[]>): boolean {
  return Reflect.get(query, 'state') === null
}

/** postgres.js knocks again for ever where somebody accepts and hangs up: ending the client rejects the statement. */
function armConnectTimer(slot: Slot): void {
  clearTimeout(slot.connectTimer)
  slot.connectTimer = setTimeout(() => void slot.client.end({ timeout: 0 }), slot.connectTimeoutMs)
}
