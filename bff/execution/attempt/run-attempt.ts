import { budget as budgetSchema } from '../../../shared/job.ts'
import { submitOptions } from '../../../shared/submit.ts'
import { ceilingMs } from '../../domain/deadlines.ts'
import { failure } from '../../domain/failure.ts'
import type { AttemptResult, ModelProvider, ProviderFailure, Turn } from '../../domain/ports.ts'
import { storable, withoutNul } from '../../domain/prompt-text.ts'
import { appendDraft } from '../../store/drafts.ts'
import type { ClaimedJob } from '../../store/jobs/claim-jobs.ts'
import { type Choice, providerOfJob } from '../choose-model.ts'
import type { Execution } from '../context.ts'
import { type RunWatch, watchRun } from '../watch/watch-run.ts'
import type { FinishedAttempt, Outcome, StopReason } from './attempt.ts'
import { buildContext } from './build-context.ts'
import { createDraftBuffer, type DraftBuffer } from './draft-buffer.ts'
import { type ClaimNext, settleAttempt } from './settle-attempt.ts'

/** How long a provider may take to let go after an abort before we go on without it. */
const letGoMs = 2_000

/**
 * One attempt, as a value pushed through named steps: load → build context → choose model → call → collect → settle.
 * Never throws; what goes wrong outside the provider is a failure of kind `unknown`, and a lost claim ends in silence.
 *
 * @param signal aborted by the worker with a `StopReason`.
 * @param claimNext asked when this attempt is settled, for the job that takes its place.
 * @returns what that claimed.
 */
export async function runAttempt(
  execution: Execution,
  claim: ClaimedJob,
  signal: AbortSignal,
  claimNext: () => ClaimNext | null = () => null,
): Promise<ClaimedJob[]> {
  const { log } = execution
  const stop = new AbortController()
  const follow = (): void => stop.abort(signal.reason)
  signal.addEventListener('abort', follow)
  if (signal.aborted) follow()
  const choice = providerOfJob(execution.providers, claim)
  const watched = watchRun(execution, claim, choice)
  const drafts = createDraftBuffer({
    clock: execution.clock,
    store: (seq, text) => {
      const { jobId, token, run } = claim
      const part = { claim: { jobId, token }, run, seq, text: storable(text) }
      return appendDraft(execution.database, part, execution.clock.now())
    },
    onLost: () => stop.abort('lost' satisfies StopReason),
    onError: (error) => log.warn({ job_id: claim.jobId, err: error }, 'draft could not be stored'),
  })
  try {
    const collected = await collect(execution, claim, choice, drafts, stop, watched)
    watched.called(collected.outcome, collected.firstTokenMs)
    const finished = { claim, choice, ...collected }
    return await watched.during('settle', () => settleAttempt(execution, finished, drafts, claimNext()))
  } catch (error) {
    log.error({ job_id: claim.jobId, err: error }, 'attempt could not be settled; the lease does the rest')
    return []
  } finally {
    void drafts.discard()
    signal.removeEventListener('abort', follow)
    watched.end()
  }
}

async function collect(
  execution: Execution,
  claim: ClaimedJob,
  choice: Choice,
  drafts: DraftBuffer,
  stop: AbortController,
  watched: RunWatch,
): Promise<Pick<FinishedAttempt, 'outcome' | 'firstTokenMs'>> {
  const { clock, database, liveDrafts } = execution
  const { jobId, promptId, run, attempt, orgId, owner } = claim
  const startedMs = clock.now().getTime()
  let firstTokenMs: number | null = null
  const live = liveDrafts.begin({ promptId, jobId, run, attempt, orgId, owner })
  const limitMs = ceilingMs(budgetSchema.parse(claim.budget), execution.settings.deadlines)
  const disarm = clock.at(new Date(startedMs + limitMs), () => stop.abort('ceiling' satisfies StopReason))
  try {
    const options = submitOptions.safeParse(claim.executionOptions)
    const turns = await watched.during('context', () => contextOf(database, claim, options.data?.depth))
    const request = {
      model: choice.model,
      turns,
      limits: {
        firstTokenMs: execution.settings.deadlines.silenceMs,
        silenceMs: execution.settings.deadlines.silenceMs,
        totalMs: limitMs,
      },
      attempt,
      runKey: `${jobId}:${run}`,
    }
    const onDelta = (text: string): void => {
      if (stop.signal.aborted) return
      firstTokenMs ??= clock.now().getTime() - startedMs
      drafts.append(text)
      try {
        live.append(withoutNul(text))
      } catch (error) {
        execution.log.error({ job_id: jobId, err: error }, 'showing text as it arrives broke')
      }
    }
    // Told to stop before it began: what was never asked costs nothing.
    if (stop.signal.aborted) return { outcome: outcomeOf(ended, stop.signal), firstTokenMs }
    const answer = await watched.during('call', () =>
      callProvider(execution, choice.provider, request, { signal: stop.signal, onDelta }),
    )
    return { outcome: outcomeOf(answer, stop.signal), firstTokenMs }
  } catch (error) {
    execution.log.error({ job_id: jobId, err: error }, 'attempt broke outside the provider')
    const broken = failure('unknown', 'Something went wrong on this server. Retry it; the log says more.')
    return { outcome: { kind: 'failed', failure: broken, requestId: null }, firstTokenMs }
  } finally {
    disarm()
    live.end()
  }
}

/** A prompt that continues nothing came whole with its claim: nothing is to be read. */
async function contextOf(
  database: Execution['database'],
  claim: ClaimedJob,
  depth?: number,
): Promise<Turn[]> {
  if (claim.rootText !== null) return [{ role: 'user', text: claim.rootText }]
  return buildContext(database, claim.promptId, depth)
}

/** The provider's own answer, or, when it does not let go in time after an abort, ours in its place. */
async function callProvider(
  execution: Execution,
  provider: ModelProvider,
  request: Parameters<ModelProvider['run']>[0],
  options: Parameters<ModelProvider['run']>[1],
): Promise<AttemptResult | ProviderFailure> {
  const { clock } = execution
  const { signal } = options
  let disarm = (): void => {}
  let giveUp = (): void => {}
  const gone = new Promise<ProviderFailure>((resolve) => {
    giveUp = () => {
      disarm = clock.at(new Date(clock.now().getTime() + letGoMs), () => resolve(ended))
    }
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp)
  })
  try {
    return await Promise.race([provider.run(request, options), gone])
  } catch (error) {
    // A provider must not throw; one that does when it is told to stop has stopped, which is all that was asked.
    if (signal.aborted) return ended
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
    disarm()
  }
}

const ended: ProviderFailure = {
  ok: false,
  aborted: true,
  failure: failure('unknown', 'The call was ended.'),
  requestId: null,
}

function outcomeOf(answer: AttemptResult | ProviderFailure, signal: AbortSignal): Outcome {
  const reason = signal.aborted ? stopReasonOf(signal) : null
  if (reason === 'cancelled' || reason === 'lost') return { kind: 'stopped', reason }
  if (answer.ok) return { kind: 'answered', result: answer }
  if (reason === 'drain') return { kind: 'stopped', reason }
  if (reason === 'ceiling') {
    const late = failure(
      'timeout',
      'It took longer than its time limit. Retry it, or give it a larger budget.',
    )
    return { kind: 'failed', failure: late, requestId: answer.requestId }
  }
  return { kind: 'failed', failure: answer.failure, requestId: answer.requestId }
}

function stopReasonOf(signal: AbortSignal): StopReason {
  const reason: unknown = signal.reason
  return reason === 'cancelled' || reason === 'lost' || reason === 'drain' || reason === 'ceiling'
    ? reason
    : 'lost'
}
