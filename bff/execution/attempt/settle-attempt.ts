import { DomainError } from '../../domain/errors.ts'
import type { AttemptResult } from '../../domain/ports.ts'
import { storable } from '../../domain/prompt-text.ts'
import { decideRetry } from '../../domain/retry-policy.ts'
import type { Signal } from '../../domain/signals.ts'
import type { Tx } from '../../store/database/database.ts'
import type { ClaimedJob } from '../../store/jobs/claim-jobs.ts'
import { handBack } from '../../store/jobs/hand-back.ts'
import type { LedgerEntry } from '../../store/jobs/ledger-row.ts'
import { requeueFailed } from '../../store/jobs/requeue.ts'
import { type FailedRun, settleFailure } from '../../store/jobs/settle-failure.ts'
import { settleSuccess } from '../../store/jobs/settle-success.ts'
import { responseId } from '../../store/response-id.ts'
import type { Execution } from '../context.ts'
import type { FinishedAttempt } from './attempt.ts'
import type { DraftBuffer } from './draft-buffer.ts'

const tryAgainMs = 250
/** What the ledger's column holds. */
const tokensMax = 2 ** 31 - 1

/** Takes the next job for the place that becomes free, in the transaction that frees it. */
export type ClaimNext = (tx: Tx) => Promise<ClaimedJob[]>

/**
 * Writes how an attempt came out, in one transaction under its fence. An answer has been paid for, so a database that
 * cannot be reached is tried again until the lease ends; then the claim is no longer ours to settle.
 *
 * @param claimNext runs in the same transaction: one commit for the end of a job and the start of the next.
 * @returns what it claimed.
 */
export async function settleAttempt(
  execution: Execution,
  finished: FinishedAttempt,
  drafts: DraftBuffer,
  claimNext: ClaimNext | null = null,
): Promise<ClaimedJob[]> {
  const { clock, database, log, settings } = execution
  const { claim, outcome } = finished
  if (outcome.kind === 'stopped' && outcome.reason !== 'drain') {
    void drafts.discard()
    log.info(
      { job_id: claim.jobId, run: claim.run, reason: outcome.reason },
      'attempt ended without settling',
    )
    return []
  }
  if (outcome.kind === 'answered') await drafts.discard()
  else await drafts.flush()
  const untilMs = clock.now().getTime() + settings.deadlines.leaseMs
  for (;;) {
    try {
      const { held, next } = await database.transaction((tx) =>
        settleAndClaim(execution, tx, finished, claimNext),
      )
      if (!held)
        log.info({ job_id: claim.jobId, run: claim.run, reason: 'lost' }, 'attempt ended without settling')
      return next
    } catch (error) {
      const unreachable = error instanceof DomainError && error.code === 'database_unavailable'
      if (!unreachable || clock.now().getTime() >= untilMs) throw error
      await new Promise<void>((resolve) => clock.at(new Date(clock.now().getTime() + tryAgainMs), resolve))
    }
  }
}

/**
 * What the end of the job made claimable need not be announced when this place takes one in the same breath: as many
 * wait for a worker as did before, and of those everybody has heard.
 */
async function settleAndClaim(
  execution: Execution,
  tx: Tx,
  finished: FinishedAttempt,
  claimNext: ClaimNext | null,
): Promise<{ held: boolean; next: ClaimedJob[] }> {
  if (claimNext === null) return { held: await writeOutcome(execution, tx, finished), next: [] }
  const said: Signal[] = []
  const writing = writeOutcome(execution, { ...tx, signal: (signal) => said.push(signal) }, finished)
  // An answer's statements are sent together, the claim behind them: the place becomes free whatever comes of it. Other
  // ends hand their permit on only once their first statement has said that they happened.
  const isAnswered = finished.outcome.kind === 'answered'
  const [held, next] = isAnswered
    ? await Promise.all([writing, claimNext(tx)])
    : [await writing, await claimNext(tx)]
  for (const signal of said) {
    const needless = next.length > 0 && signal.topic === 'job-queued' && signal.dueAt === undefined
    if (!needless) tx.signal(signal)
  }
  return { held, next }
}

/** @returns false when the claim is lost, in which case nothing was written. */
async function writeOutcome(execution: Execution, tx: Tx, finished: FinishedAttempt): Promise<boolean> {
  const { claim, outcome, choice } = finished
  const now = execution.clock.now()
  const ledger = ledgerOf(finished)
  switch (outcome.kind) {
    case 'answered': {
      const result = storedResult(outcome.result)
      const { promptId, jobId, run } = claim
      return settleSuccess(tx, {
        claim,
        promptId,
        attempt: claim.attempt,
        startedAt: claim.startedAt,
        responseId: responseId({ promptId, jobId, run, requestId: result.requestId }),
        fallbackResponseId: responseId({ promptId, jobId, run, requestId: null }),
        text: result.text,
        meta: {
          finish_reason: result.finishReason,
          model: result.model,
          practice: choice.provider.practice,
          output_tokens: result.outputTokens,
        },
        sourceRefs: [
          { provider: choice.provider.id, model: result.model, practice: choice.provider.practice },
        ],
        ledger,
        orgConcurrency: execution.settings.orgConcurrency,
        now,
      })
    }
    case 'failed': {
      const { attempt, maxAttempts, rateLimitedSince, promptId, startedAt } = claim
      const failure = { ...outcome.failure, message: storable(outcome.failure.message) }
      const run: FailedRun = {
        claim,
        promptId,
        attempt,
        startedAt,
        failure,
        provider: choice.provider.id,
        orgConcurrency: execution.settings.orgConcurrency,
        ledger,
        now,
      }
      const decision = decideRetry({
        failure,
        attempt,
        maxAttempts,
        now,
        rateLimitedSince,
        backoffScale: execution.settings.backoffScale,
        random: execution.random,
      })
      return decision.event === 'fail' ? settleFailure(tx, run) : requeueFailed(tx, run, decision)
    }
    case 'stopped':
      return (await handBack(tx, [claim.token], now)).length > 0
    default:
      return unreachable(outcome)
  }
}

function ledgerOf(finished: FinishedAttempt): LedgerEntry {
  const { claim, choice, outcome, firstTokenMs } = finished
  const base = { provider: choice.provider.id, model: choice.model, queuedMs: claim.queuedMs, firstTokenMs }
  const nothing = {
    inputTokens: null,
    outputTokens: null,
    finishReason: null,
    errorKind: null,
    errorMessage: null,
  }
  switch (outcome.kind) {
    case 'answered': {
      const result = storedResult(outcome.result)
      return {
        ...base,
        counted: true,
        model: result.model,
        adapterRequestId: result.requestId,
        inputTokens: result.inputTokens,
        outputTokens: result.outputTokens,
        finishReason: result.finishReason,
        errorKind: null,
        errorMessage: null,
      }
    }
    case 'failed': {
      const { kind, message } = outcome.failure
      return {
        ...base,
        ...nothing,
        counted: true,
        adapterRequestId: storableOrNull(outcome.requestId),
        errorKind: kind,
        errorMessage: storable(message),
      }
    }
    case 'stopped':
      return { ...base, ...nothing, counted: false, adapterRequestId: null }
    default:
      return unreachable(outcome)
  }
}

/**
 * The answer as the database can hold it: nothing a provider says about an answer may keep the answer from being stored.
 * A count of tokens that is not one is unknown.
 */
function storedResult(result: AttemptResult): AttemptResult {
  return {
    ...result,
    text: storable(result.text),
    model: storable(result.model),
    requestId: storableOrNull(result.requestId),
    inputTokens: countOrNull(result.inputTokens),
    outputTokens: countOrNull(result.outputTokens),
  }
}

function storableOrNull(text: string | null): string | null {
  return text === null ? null : storable(text)
}

function countOrNull(count: number | null): number | null {
  return count !== null && Number.isInteger(count) && count >= 0 && count <= tokensMax ? count : null
}

function unreachable(value: never): never {
  throw new Error(`no such outcome: ${String(value)}`)
}
