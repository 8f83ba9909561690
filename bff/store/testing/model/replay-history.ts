import type { JobOutcome, JobState } from '../../../../shared/job.ts'
import type { Database } from '../../database/database.ts'
import { type RealEvent, readRealEvents, readRealJobs } from './real-queue.ts'

/** What the events alone say of a job. */
export interface ToldJob {
  state: JobState
  outcome: JobOutcome | null
  attempt: number
  run: number
  errorKind: string | null
  responseId: string | null
  held: string | null
}

/** How the jobs stand by their rows, and by nothing but their events: the two must be equal. */
export async function readBothHistories(
  database: Database,
): Promise<{ rows: Map<string, ToldJob>; told: Map<string, ToldJob> }> {
  const jobs = await readRealJobs(database)
  const rows = jobs.map(({ id, facts, holdReason }): [string, ToldJob] => {
    const { state, outcome, attempt, run, errorKind, responseId } = facts
    return [id, { state, outcome, attempt, run, errorKind, responseId, held: holdReason }]
  })
  return { rows: new Map(rows), told: replayEvents(await readRealEvents(database, 0)) }
}

function replayEvents(events: readonly RealEvent[]): Map<string, ToldJob> {
  const jobs = new Map<string, ToldJob>()
  for (const event of events) {
    const { supersedes } = event.data
    const old = typeof supersedes === 'string' ? jobs.get(supersedes) : undefined
    if (old && event.kind === 'job-queued') old.state = 'superseded'
    jobs.set(event.jobId, afterEvent(jobs.get(event.jobId), event))
  }
  return jobs
}

function afterEvent(before: ToldJob | undefined, { kind, run, data }: RealEvent): ToldJob {
  const errorKind = textOrNull(data.error_kind)
  const held = textOrNull(data.held)
  if (kind === 'job-queued') return { ...fresh, held }
  if (!before) throw new Error(`${kind} of a job that was never queued`)
  const ended = { ...before, run, held: null }
  switch (kind) {
    case 'job-claimed':
      return { ...before, state: 'running', run, errorKind: null }
    case 'job-succeeded':
      return { ...ended, ...settled('succeeded'), errorKind: null, responseId: textOrNull(data.response_id) }
    case 'job-failed':
      return { ...ended, ...settled('failed'), errorKind }
    case 'job-cancelled':
      return { ...ended, ...settled('cancelled'), errorKind: null }
    case 'attempt-failed':
      return {
        ...ended,
        state: 'queued',
        attempt: before.attempt + (data.counted === true ? 1 : 0),
        errorKind,
      }
    case 'job-reclaimed':
      return { ...ended, state: 'queued', attempt: before.attempt + 1, errorKind }
    case 'job-returned':
      return { ...ended, state: 'queued' }
    case 'job-held':
    case 'job-waiting':
    case 'job-released':
      return { ...before, held }
    default:
      return before
  }
}

const fresh: ToldJob = {
  state: 'queued',
  outcome: null,
  attempt: 1,
  run: 0,
  errorKind: null,
  responseId: null,
  held: null,
}

function settled(outcome: 'succeeded' | 'failed' | 'cancelled') {
  return { state: outcome, outcome }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
