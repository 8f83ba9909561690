import { type SQL, sql } from 'drizzle-orm'
import { budgets } from '../../../shared/job.ts'
import { ceilingMs, crashesMax, type Deadlines } from '../../domain/deadlines.ts'
import type { Queryable, Tx } from '../database/database.ts'
import { clearDrafts } from '../drafts.ts'
import { freedPermits } from '../permits/hand-on.ts'
import { gateLets } from '../permits/ready-job.ts'
import { recordLostRuns } from './ledger-row.ts'
import { moveFollowers } from './move-followers.ts'
import { type MovedRow, movedColumns, tellMoves } from './tell-moves.ts'
import { fromStates, moment, recordMoves, toState } from './transition.ts'

const reclaimRowsMax = 100

export interface ReclaimRequest {
  now: Date
  deadlines: Deadlines
  orgConcurrency: number
  /** Every running job instead of those past their lease: after a restart, when nobody else can hold one. */
  formerSelf?: boolean
}

export interface Reclaimed {
  requeued: string[]
  failed: string[]
}

/**
 * Takes back what a dead worker held: to the queue while attempts are left, else to `failed`; 100 rows at most, so
 * call again while it finds some. Past the ceiling means the time it was *seen alive*, never the time since its start:
 * a machine that slept an hour loses no job. What goes back to the queue keeps its permit, for it is ready at
 * once, unless its provider's gate has closed meanwhile.
 */
export async function reclaim(tx: Tx, request: ReclaimRequest): Promise<Reclaimed> {
  const { now, deadlines } = request
  const lapsed = request.formerSelf
    ? sql`true`
    : sql`running_heartbeat_at <= ${moment(new Date(now.getTime() - deadlines.leaseMs))}`
  const rows = await tx.rows<MovedRow & { again: boolean; freed: number | null }>(sql`
    with ended as (
      select j.*, extract(epoch from (running_heartbeat_at - started_at)) * 1000 >= ${ceilingCase(deadlines)} as stuck,
        ${gateLets(sql`j`)} as lets
      from job j where state in ${fromStates('reclaim')} and not external and ${lapsed}
      order by id limit ${reclaimRowsMax}::int for update skip locked),
    judged as (
      select id, stuck, lets, permit, coalesce(attempt < max_attempts and crashes + 1 < ${crashesMax}::int and not stuck, false) as again
      from ended),
    moved as (
      update job j set
        state = case when g.again then ${toState('reclaim')} else ${toState('give-up')} end,
        outcome = case when g.again then null else 'failed' end,
        finished_at = case when g.again then null else ${moment(now)} end,
        attempt = j.attempt + g.again::int, crashes = j.crashes + 1, worker_claim = null, soft_review_at = null,
        permit = case when g.again and g.lets then j.permit end,
        permit_at = case when g.again and g.lets then j.permit_at end,
        started_at = case when g.again then null else j.started_at end,
        running_heartbeat_at = case when g.again then null else j.running_heartbeat_at end,
        available_at = case when g.again then ${moment(now)} else j.available_at end,
        error_kind = case when g.stuck then 'stuck' else 'worker_crash' end,
        error_message = case when g.stuck
          then 'It ran past its time limit and stopped reporting. Retry it, or give it a larger budget.'
          else 'The worker stopped while answering. ' || case when g.again then 'It runs again by itself.' else 'Retry it.' end end,
        updated_at = ${moment(now)}
      from judged g where j.id = g.id
      returning j.id, j.prompt_id, j.org_id, j.created_by, j.run, g.again,
        case when not (g.again and g.lets) then g.permit end as freed,
        case when g.again then 'job-reclaimed' else 'job-failed' end as event_kind,
        jsonb_build_object('from', 'running', 'to', j.state, 'error_kind', j.error_kind, 'attempt', j.attempt) as event_data),
    ${recordLostRuns(sql`case when b.stuck then 'stuck' else 'worker_crash' end`, true, now)},
    ${recordMoves(now)}
    select ${movedColumns}, again, freed from moved`)
  tellMoves(tx, rows, { by: 'reclaim' })
  if (rows.length > 0)
    await clearDrafts(
      tx,
      rows.map((row) => row.id),
    )
  const failed = rows.filter((row) => !row.again)
  const freed = freedPermits(rows, request.orgConcurrency)
  if (failed.length > 0 || freed.length > 0)
    await moveFollowers(
      tx,
      failed.map((row) => row.prompt_id),
      'failed',
      now,
      { freed, jobIds: [] },
    )
  if (rows.length > 0) {
    tx.signal({ topic: 'job-queued' })
    tx.signal({ topic: 'events' })
  }
  return {
    requeued: rows.filter((row) => row.again).map((row) => row.id),
    failed: failed.map((row) => row.id),
  }
}

/** When the earliest lease ends, by the same index that `reclaim` reads; null when nothing runs. */
export async function nextLeaseEnd(queryable: Queryable, leaseMs: number): Promise<Date | null> {
  const [row] = await queryable.rows<{ at: Date | null }>(sql`
    select min(running_heartbeat_at) as at from job where state = 'running' and not external`)
  return row?.at ? new Date(row.at.getTime() + leaseMs) : null
}

function ceilingCase(deadlines: Deadlines): SQL {
  const cases = budgets.map((budget) => sql`when ${budget} then ${ceilingMs(budget, deadlines)}::bigint`)
  return sql`case budget ${sql.join(cases, sql` `)} end`
}
