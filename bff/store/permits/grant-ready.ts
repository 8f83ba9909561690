import type { Database } from '../database/database.ts'
import { chooseProbes, takeBackShutOut } from './gates.ts'
import { grantPermits } from './grant-permits.ts'
import { lookAround } from './look-around.ts'

/** What was found before resting. */
export interface Rest {
  /** How many jobs got a permit, so that they can be claimed now. */
  granted: number
  /** When to look again: a job becomes due, or a provider's gate may be tried. Null when nothing waits for a time. */
  nextAt: Date | null
}

/**
 * Gives permits to jobs that became ready without a transaction of their own: their time came, a gate's time came, or two
 * transactions did not see each other. One statement when there is nothing to give.
 */
export async function grantReady(
  database: Database,
  { orgConcurrency, now }: { orgConcurrency: number; now: Date },
): Promise<Rest> {
  const { orgIds, probeWanted, shutOut, nextAt } = await lookAround(database, { orgConcurrency, now })
  if (!probeWanted && !shutOut && orgIds.length === 0) return { granted: 0, nextAt }
  const granted = await database.transaction(async (tx) => {
    const takenBack = shutOut && (await takeBackShutOut(tx))
    const chosen = probeWanted && (await chooseProbes(tx, { orgConcurrency, now }))
    const orgs = takenBack || chosen ? (await lookAround(tx, { orgConcurrency, now })).orgIds : orgIds
    const given = await grantPermits(tx, { orgIds: orgs, orgConcurrency, now, wait: true })
    if (given > 0) tx.signal({ topic: 'job-queued' })
    return given
  })
  return { granted, nextAt }
}
