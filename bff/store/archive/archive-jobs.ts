import { type SQL, sql } from 'drizzle-orm'
import type { Database, Queryable, Tx } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'
import { moment } from '../jobs/transition.ts'
import { writeArchiveFile } from './write-archive-file.ts'

/** What one batch took away; `file` holds all of it. */
export interface ArchivedBatch {
  file: string
  jobs: number
  ledgerRows: number
  events: number
  /** When the last of them settled: where the next batch begins to look. */
  upTo: Date
}

export interface ArchiveRequest {
  /** Only jobs that had settled by then. */
  before: Date
  /** `upTo` of the batch before, which spares a walk past all that stays; null at first. */
  from: Date | null
  /** Absolute; made with mode 0700 when absent. */
  folder: string
  /** How many jobs at most. */
  limit: number
}

/** Any number will do that nothing else locks: two archivals at once would write the same file. */
const archiveLock = 7_410_000_002

/**
 * Exports the jobs that settled longest ago, then deletes them with their ledger, events and drafts and raises the
 * floor of the events, all in one transaction: the file is on the disk before anything is gone. Killed in between, the
 * rows are still there, and the next run writes the same file again.
 *
 * Taken are replaced jobs only, so never a prompt's newest, and not the newest that was ever claimed either: its answer
 * is the one shown while a retry waits. A job of the cluster keeps its row, which its manifest refers to. Events go by
 * their job: what happened to a kept job in the same transaction stays. Responses stay, with their edges.
 *
 * @returns null when nothing is left to archive.
 * @throws the file system's error when the export cannot be written; nothing is deleted then.
 */
export async function archiveJobs(
  database: Database,
  request: ArchiveRequest,
): Promise<ArchivedBatch | null> {
  return database.transaction(async (tx) => {
    await tx.rows(sql`select pg_advisory_xact_lock(${archiveLock}::bigint)`)
    const { before, from, limit } = request
    const later = from ? sql`and j.finished_at >= ${moment(from)}` : sql``
    const jobs = await tx.rows<{ id: string; finished_at: Date }>(sql`
      select j.id, j.finished_at from job j where ${archivable(before)} ${later}
      order by j.finished_at, j.id limit ${limit}::int`)
    const [first, last] = [jobs[0], jobs.at(-1)]
    if (!first || !last) return null
    // Such lists are joined to what they name: `= any (list)` may read the list anew for every row it looks at.
    const ids = sqlArray(
      jobs.map((job) => job.id),
      'uuid',
    )
    // Named one by one, so that nothing is deleted that came after the export. What happened to a job since `before`
    // (its answer was marked as seen) stays, lest the floor rise above the cursors of pages that are open now.
    const events = await tx.rows<{ seq: number }>(sql`
      select e.seq from unnest(${ids}) as taken(id) join job j on j.id = taken.id
      join event e on e.prompt_id = j.prompt_id and e.job_id = j.id and e.at < ${moment(before)}`)
    const seqs = sqlArray(
      events.map((event) => event.seq),
      'bigint',
    )
    const name = `jobs-${first.finished_at.toISOString().replace(/[-:.]/g, '')}-${first.id}.ndjson`
    const file = await writeArchiveFile(request.folder, name, archiveLines(tx, ids, seqs))
    const ledgerRows = await deleteJobs(tx, ids, seqs)
    return { file, jobs: jobs.length, ledgerRows, events: events.length, upTo: last.finished_at }
  })
}

/** How many jobs `archiveJobs` would take in all. */
export async function countArchivable(queryable: Queryable, before: Date): Promise<number> {
  const [row] = await queryable.rows<{ jobs: number }>(sql`
    select count(*) as jobs from job j where ${archivable(before)}`)
  return row?.jobs ?? 0
}

/** `finished_at` is stated as the index has it, so that jobs that still wait or run are not even read. */
function archivable(before: Date): SQL {
  return sql`
    j.finished_at is not null and j.finished_at < ${moment(before)} and j.state = 'superseded'
      and (j.run = 0 or exists (
        select from job k where k.prompt_id = j.prompt_id and k.run > 0
          and (k.created_at, k.id) > (j.created_at, j.id)))
      and not exists (select from external_job x where x.job_id = j.id)`
}

/** One line a job: its row, its ledger, its events and what is left of drafts, in PostgreSQL's own JSON. */
async function* archiveLines(tx: Tx, ids: SQL, seqs: SQL): AsyncGenerator<string> {
  await tx.rows(sql`
    declare archive_rows no scroll cursor for
    with told as materialized (
      select e.job_id, jsonb_agg(to_jsonb(e) order by e.seq) as rows
      from unnest(${seqs}) as taken(seq) join event e on e.seq = taken.seq group by e.job_id)
    select jsonb_build_object('job', to_jsonb(j),
      'ledger', coalesce((select jsonb_agg(to_jsonb(l) order by l.run) from ledger l where l.job_id = j.id), '[]'),
      'events', coalesce(told.rows, '[]'),
      'drafts', coalesce((select jsonb_agg(to_jsonb(d) order by d.run, d.seq) from draft d where d.job_id = j.id), '[]')
    )::text as line
    from unnest(${ids}) as taken(id) join job j on j.id = taken.id left join told on told.job_id = j.id
    order by j.finished_at, j.id`)
  for (;;) {
    const rows = await tx.rows<{ line: string }>(sql.raw(`fetch ${linesAtOnce} from archive_rows`))
    if (rows.length === 0) break
    yield rows.map(({ line }) => `${line}\n`).join('')
  }
  await tx.rows(sql`close archive_rows`)
}

/** Partial texts may be long. */
const linesAtOnce = 50

/**
 * The floor rises above the newest transaction that lost an event: a cursor whose snapshot began below it might not have
 * seen that event, and is answered with a resync.
 *
 * @returns how many ledger rows went.
 */
async function deleteJobs(tx: Tx, ids: SQL, seqs: SQL): Promise<number> {
  const ledger = await tx.rows(
    sql`delete from ledger l using unnest(${ids}) as taken(id) where l.job_id = taken.id returning l.run`,
  )
  await tx.rows(sql`delete from draft d using unnest(${ids}) as taken(id) where d.job_id = taken.id`)
  await tx.rows(sql`
    with gone as (delete from event e using unnest(${seqs}) as taken(seq) where e.seq = taken.seq returning e.tx),
    newest as (select tx::text::numeric as tx from gone order by gone.tx desc limit 1)
    update meta set value = to_jsonb(greatest((value #>> '{}')::numeric, newest.tx + 1)::text)
    from newest where key = 'event_floor'`)
  await tx.rows(sql`delete from job j using unnest(${ids}) as taken(id) where j.id = taken.id`)
  return ledger.length
}
