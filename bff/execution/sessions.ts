import { createHash, randomBytes } from 'node:crypto'
import { v7 as uuidV7 } from 'uuid'
import type { SessionResponse } from '../../shared/observe.ts'
import { DomainError } from '../domain/errors.ts'
import { findOwner, insertMember } from '../store/identity/members.ts'
import {
  deleteSession,
  insertLoginLink,
  insertSession,
  readSession,
  type SessionRow,
  takeLoginLink,
} from '../store/identity/sessions.ts'
import type { Execution, Scope } from './context.ts'

const linkMs = 15 * 60_000
const sessionMs = 30 * 24 * 60 * 60_000

/** Who a cookie stands for. */
export type SignedIn = Scope & SessionRow

/** The one org and its owner; made on a fresh start. */
export async function ensureOwner(execution: Execution): Promise<Scope> {
  return execution.database.transaction(async (tx) => {
    const known = await findOwner(tx)
    if (known) return known
    const made: Scope = { orgId: uuidV7(), personId: uuidV7() }
    await insertMember(
      tx,
      { ...made, orgName: 'Home', personName: 'Owner', role: 'owner' },
      execution.clock.now(),
    )
    return made
  })
}

/** A one-time way in, for 15 minutes; the token is told once and only its digest is kept. */
export async function makeLoginLink(
  execution: Execution,
  who?: Scope,
): Promise<{ token: string; expiresAt: Date }> {
  const owner = who ?? (await ensureOwner(execution))
  const token = newToken()
  const now = execution.clock.now()
  const expiresAt = new Date(now.getTime() + linkMs)
  await insertLoginLink(execution.database, digest(token), owner, expiresAt, now)
  return { token, expiresAt }
}

/**
 * Turns a link into a session of 30 days, once.
 * @throws DomainError `link_expired` for a link that was used, has expired or never was.
 */
export async function useLoginLink(
  execution: Execution,
  token: string,
): Promise<{ sessionToken: string; expiresAt: Date }> {
  const now = execution.clock.now()
  const sessionToken = newToken()
  const expiresAt = new Date(now.getTime() + sessionMs)
  await execution.database.transaction(async (tx) => {
    const who = await takeLoginLink(tx, digest(token), now)
    if (!who) throw new DomainError('link_expired', 'This link was used or has expired. Ask for a new one.')
    await insertSession(tx, digest(sessionToken), who, expiresAt, now)
  })
  return { sessionToken, expiresAt }
}

/** Who a session token stands for, or null; expiry and membership are checked at every use. */
export async function findSession(execution: Execution, sessionToken: string): Promise<SignedIn | null> {
  return readSession(execution.database, digest(sessionToken), execution.clock.now())
}

/** Signs out, everywhere: every process that remembers the session hears of it (`onSessionsEnded`). */
export async function endSession(execution: Execution, sessionToken: string): Promise<void> {
  await execution.database.transaction((tx) => deleteSession(tx, digest(sessionToken)))
}

export interface SessionsEnded {
  /** @param isEnded whether a token is that of the session that ended, here or in another process. */
  onEnded(isEnded: (sessionToken: string) => boolean): void
  /** Sessions may have ended in other processes that were not heard for a while. */
  onMissed(): void
}

/** @returns a function that ends the subscription. */
export function onSessionsEnded({ database }: Execution, listener: SessionsEnded): () => void {
  const leave = [
    database.signals.subscribe('session-ended', ({ tokenDigest }) =>
      listener.onEnded((sessionToken) => digest(sessionToken) === tokenDigest),
    ),
    database.signals.subscribe('signals-missed', () => listener.onMissed()),
  ]
  return () => {
    for (const each of leave) each()
  }
}

/** What the page needs to know about who it is for and which server it talks to. */
export async function describeSession(execution: Execution, signedIn: SignedIn): Promise<SessionResponse> {
  const { provider, model } = execution.providers.default()
  return {
    person: { id: signedIn.personId, name: signedIn.personName },
    org: { id: signedIn.orgId, name: signedIn.orgName },
    role: signedIn.role,
    version: execution.version,
    epoch: (await execution.meta()).epoch,
    time_zone: signedIn.timeZone,
    now: execution.clock.now().toISOString(),
    provider: { id: provider.id, model, practice: provider.practice, found: execution.providers.found },
    settings: { debug: false, single_keys: true },
  }
}

function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A token of 256 random bits needs no slow hash: there is nothing to guess. */
function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
