import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { brokenInvariants } from './broken-invariants.ts'
import type { QueueModel } from './queue-model.ts'
import { type RealQueue, readRealEvents, readRealGates, readRealJobs, readRealRuns } from './real-queue.ts'

/** The real rows are those of the model, one by one, and what was told since the last time is what happened. */
export async function expectSame(model: QueueModel, real: RealQueue): Promise<void> {
  const { database } = real
  const jobs = await readRealJobs(database)
  expect(jobs).toEqual(expectedJobs(model))
  expect(await readRealRuns(database)).toEqual(expectedRuns(model))
  expect(await readRealGates(database)).toEqual(expectedGates(model))
  const events = await readRealEvents(database, real.eventsSeen)
  real.eventsSeen = events.at(-1)?.seq ?? real.eventsSeen
  expect(byJob(events)).toEqual(byJob(model.takeEvents()))
  const revisions = await database.rows(
    sql`select id, revision from entity where kind = 'prompt' order by id`,
  )
  expect(revisions).toEqual(sorted([...model.prompts.values()]).map(({ id, revision }) => ({ id, revision })))
  expect(await brokenInvariants(database)).toEqual([])
}

function expectedJobs(model: QueueModel) {
  return sorted([...model.jobs.values()]).map(({ ledger, retryAt, ...row }) => row)
}

function expectedGates(model: QueueModel) {
  const gates = [...model.gates].sort(([a], [b]) => (a < b ? -1 : 1))
  return gates.map(([provider, { closedUntil, probeJobId }]) => ({ provider, closedUntil, probeJobId }))
}

function expectedRuns(model: QueueModel) {
  return sorted([...model.jobs.values()]).flatMap(({ id, ledger }) =>
    ledger.map((run) => ({ jobId: id, ...run })),
  )
}

/** Within one statement only the order of one job's own events is given. */
function byJob(events: readonly { jobId: string; kind: string }[]): Record<string, string[]> {
  const kinds: Record<string, string[]> = {}
  for (const { jobId, kind } of events) kinds[jobId] = [...(kinds[jobId] ?? []), kind]
  return kinds
}

function sorted<Row extends { id: string }>(rows: Row[]): Row[] {
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
}
