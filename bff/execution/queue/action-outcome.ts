import type { JobState } from '../../../shared/job.ts'
import { DomainError, notFound } from '../../domain/errors.ts'
import { type CurrentJob, readCurrentJobs } from '../../store/jobs/current-jobs.ts'
import type { Execution, Scope } from '../context.ts'

/** What became of one prompt: done, with the job and the state it has now, or refused. */
export type ActionOutcome =
  | { promptId: string; jobId: string; state: JobState }
  | { promptId: string; refused: DomainError }

/** The refusal of a line by the state of its job. */
export function conflict({ promptId, state, jobId }: CurrentJob, words: string): ActionOutcome {
  const refused = new DomainError('state_conflict', `This prompt is ${state}; ${words}.`, {
    state,
    job_id: jobId,
  })
  return { promptId, refused }
}

/**
 * Each by itself, for what could not be done together: an expected refusal is the outcome of its line.
 * The job afterwards is read anew, since a retry makes another one.
 */
export async function oneByOne(
  execution: Execution,
  scope: Scope,
  jobs: readonly CurrentJob[],
  work: (job: CurrentJob) => Promise<void>,
): Promise<ActionOutcome[]> {
  const outcomes: ActionOutcome[] = []
  for (const job of jobs) {
    const { promptId } = job
    try {
      await work(job)
      const [now] = await readCurrentJobs(execution.database, scope, [promptId])
      outcomes.push(
        now ? { promptId, jobId: now.jobId, state: now.state } : { promptId, refused: notFound('prompt') },
      )
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      outcomes.push({ promptId, refused: error })
    }
  }
  return outcomes
}

/** How those stand now that a statement for many passed by. */
export async function readAgain(
  execution: Execution,
  scope: Scope,
  jobs: readonly CurrentJob[],
): Promise<CurrentJob[]> {
  if (jobs.length === 0) return []
  return readCurrentJobs(
    execution.database,
    scope,
    jobs.map((job) => job.promptId),
  )
}
