import type { JobState } from '../../../shared/job.ts'
import { DomainError, notFound } from '../../domain/errors.ts'
import { readCurrentJobs } from '../../store/jobs/current-jobs.ts'
import type { Execution, Scope } from '../context.ts'

/** What became of one prompt: done, with the job and the state it has now, or refused. */
export type ActionOutcome =
  | { promptId: string; jobId: string; state: JobState }
  | { promptId: string; refused: DomainError }

/** An expected refusal is the outcome of its line; the job afterwards is read anew, since a retry makes another one. */
export async function settled(
  execution: Execution,
  scope: Scope,
  promptId: string,
  work: () => Promise<void>,
): Promise<ActionOutcome> {
  try {
    await work()
  } catch (error) {
    if (error instanceof DomainError) return { promptId, refused: error }
    throw error
  }
  const [job] = await readCurrentJobs(execution.database, scope, [promptId])
  return job ? { promptId, jobId: job.jobId, state: job.state } : { promptId, refused: notFound('prompt') }
}

/** The refusal of a line by the state of its job. */
export function conflict(state: JobState, jobId: string, words: string): DomainError {
  return new DomainError('state_conflict', `This prompt is ${state}; ${words}.`, {
    state,
    job_id: jobId,
  })
}
