import type { ActionsRequest } from '../../../shared/contracts/actions.ts'
import type { Verdict } from '../../../shared/entity.ts'
import { DomainError, notFound } from '../../domain/errors.ts'
import { isTerminal } from '../../domain/job-state.ts'
import { judgePrompts } from '../../store/entities/judge-prompts.ts'
import { markSeen } from '../../store/entities/mark-seen.ts'
import { type CurrentJob, readCurrentJobs } from '../../store/jobs/current-jobs.ts'
import type { Execution, Scope } from '../context.ts'
import { type ActionOutcome, conflict } from './action-outcome.ts'
import { cancelMany } from './cancel-many.ts'
import { retryMany } from './retry-many.ts'

/**
 * The same thing to many prompts, each with an outcome of its own, in the order asked; an id that is named twice is acted
 * on once. What is unknown and what is somebody else's are refused alike.
 */
export async function actOnPrompts(
  execution: Execution,
  scope: Scope,
  request: ActionsRequest,
): Promise<ActionOutcome[]> {
  const ids = [...new Set(request.prompt_ids)]
  const jobs = new Map(
    (await readCurrentJobs(execution.database, scope, ids)).map((job) => [job.promptId, job]),
  )
  const known = ids.flatMap((id) => jobs.get(id) ?? [])
  const present = known.filter((job) => !job.deleted)
  const done = new Map((await act(execution, scope, request, present)).map((one) => [one.promptId, one]))
  return request.prompt_ids.map((promptId): ActionOutcome => {
    const outcome = done.get(promptId)
    if (outcome) return outcome
    const refused = jobs.has(promptId)
      ? new DomainError('gone', 'This prompt was deleted.')
      : notFound('prompt')
    return { promptId, refused }
  })
}

function act(
  execution: Execution,
  scope: Scope,
  request: ActionsRequest,
  jobs: readonly CurrentJob[],
): Promise<ActionOutcome[]> {
  switch (request.action) {
    case 'cancel':
      return cancelMany(execution, scope, jobs)
    case 'retry':
      return retryMany(execution, scope, jobs)
    case 'seen':
      return seeMany(execution, scope, jobs)
    case 'verdict':
      return judgeMany(execution, scope, jobs, request.verdict)
    default:
      return unreachable(request)
  }
}

/** Only what is settled can have been seen: a mark on a running job would make its answer old before it is there. */
async function seeMany(
  execution: Execution,
  scope: Scope,
  jobs: readonly CurrentJob[],
): Promise<ActionOutcome[]> {
  const marks = jobs
    .filter((job) => isTerminal(job.state))
    .map(({ promptId, jobId }) => ({ prompt_id: promptId, job_id: jobId }))
  if (marks.length > 0) {
    await execution.database.transaction((tx) => markSeen(tx, scope, marks, execution.clock.now()))
  }
  return jobs.map((job) =>
    isTerminal(job.state)
      ? { promptId: job.promptId, jobId: job.jobId, state: job.state }
      : conflict(job, 'there is nothing to see yet'),
  )
}

/** A verdict is on an answer: what has none cannot be judged. */
async function judgeMany(
  execution: Execution,
  scope: Scope,
  jobs: readonly CurrentJob[],
  verdict: Verdict | null,
): Promise<ActionOutcome[]> {
  const answered = jobs.filter((job) => job.state === 'succeeded')
  if (answered.length > 0) {
    const ids = answered.map((job) => job.promptId)
    const by = { verdict, actor: scope.personId, now: execution.clock.now() }
    await execution.database.transaction((tx) => judgePrompts(tx, ids, by))
  }
  return jobs.map((job) =>
    job.state === 'succeeded'
      ? { promptId: job.promptId, jobId: job.jobId, state: job.state }
      : conflict(job, 'there is no answer to judge'),
  )
}

function unreachable(request: never): never {
  throw new Error(`an action that nothing does: ${JSON.stringify(request)}`)
}
