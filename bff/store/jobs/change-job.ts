import { sql } from 'drizzle-orm'
import { claimRank } from '../../domain/claim-order.ts'
import type { Tx } from '../database/database.ts'
import { grantPermits } from '../permits/grant-permits.ts'
import { type MovedRow, movedColumns, tellMoves } from './tell-moves.ts'
import { moment, recordMoves } from './transition.ts'
import { currentJobWhere, type WhichJob } from './which.ts'

export interface JobChange {
  /** Undefined leaves it as it is. */
  priority?: number | undefined
  /** Undefined leaves it as it is; null means as soon as it can. */
  scheduledFor?: Date | null | undefined
  /** The zone in which that time was given. */
  timeZone?: string | null | undefined
  actor: string
  agingMs: number
  orgConcurrency: number
  now: Date
}

interface QueuedRow {
  id: string
  prompt_id: string
  org_id: string
  priority: number
  scheduled_for: Date | null
  available_at: Date
  created_at: Date
  /** Until when a failed attempt or the provider's limit keeps it waiting, by the provider's own word. */
  not_before: Date | null
}

/**
 * Another priority or another time for a queued job. Its place is counted from when it was made, so that a change of
 * mind costs nothing; its time never comes nearer than a backoff or a provider's limit allows. A permit is given back, for
 * whoever is ready and best ranked now, which may be the same job.
 *
 * @returns the job, or null when none is queued.
 */
export async function changeJob(
  tx: Tx,
  which: WhichJob,
  change: JobChange,
): Promise<{ jobId: string; promptId: string } | null> {
  const { now } = change
  const [row] = await tx.rows<QueuedRow>(sql`
    select id, prompt_id, org_id, priority, scheduled_for, available_at, created_at,
      case when error_kind is not null then (
        select (e.data->>'retry_at')::timestamptz from event e
        where e.prompt_id = job.prompt_id and e.job_id = job.id and e.kind = 'attempt-failed'
        order by e.seq desc limit 1) end as not_before
    from job where ${currentJobWhere(which)} and state = 'queued' for update`)
  if (!row) return null
  const priority = change.priority ?? row.priority
  const scheduledFor = change.scheduledFor === undefined ? row.scheduled_for : change.scheduledFor
  const availableAt = change.scheduledFor === undefined ? row.available_at : timeOf(row, scheduledFor, now)
  const rank = claimRank({ createdAt: row.created_at, scheduledFor, priority }, change.agingMs)
  const moved = await tx.rows<MovedRow>(sql`
    with moved as (
      update job j set priority = ${priority}::int, scheduled_for = ${scheduledFor}::timestamptz,
        time_zone = case when ${change.scheduledFor !== undefined}::boolean then ${change.timeZone ?? null} else j.time_zone end,
        available_at = ${moment(availableAt)}, claim_rank = ${rank}::bigint,
        permit = null, permit_at = null, updated_at = ${moment(now)}
      where j.id = ${row.id}::uuid
      returning j.id, j.prompt_id, j.org_id, j.created_by, j.run, 'job-changed'::text as event_kind,
        jsonb_build_object('from', 'queued', 'to', 'queued', 'priority', j.priority, 'scheduled_for', j.scheduled_for,
          'actor', ${change.actor}::text) as event_data),
    ${recordMoves(now)}
    select ${movedColumns} from moved`)
  tellMoves(tx, moved, { by: change.actor })
  const { orgConcurrency } = change
  await grantPermits(tx, { orgIds: [row.org_id], orgConcurrency, now, wait: false })
  tx.signal({ topic: 'job-queued' })
  tx.signal({ topic: 'events' })
  return { jobId: row.id, promptId: row.prompt_id }
}

/** What is ready already stays ready since when it was. */
function timeOf(row: QueuedRow, scheduledFor: Date | null, now: Date): Date {
  const wanted = new Date(Math.max(scheduledFor?.getTime() ?? 0, row.not_before?.getTime() ?? 0))
  if (wanted > now) return wanted
  return row.available_at < now ? row.available_at : now
}
