import type { AttemptResult } from '../../domain/ports.ts'
import type { CallReport, RunReport, RunStep } from '../../domain/watched-facts.ts'
import type { ClaimedJob } from '../../store/jobs/claim-jobs.ts'
import type { Outcome } from '../attempt/attempt.ts'
import type { Choice } from '../choose-model.ts'
import type { Execution } from '../context.ts'

/** Measures one run from its claim to its end, and then tells the watchers. */
export interface RunWatch {
  during<T>(step: RunStep, work: () => Promise<T>): Promise<T>
  /** How the call came out; a run that broke before its call has none. */
  called(outcome: Outcome, firstTokenMs: number | null): void
  end(): void
}

export function watchRun(execution: Execution, claim: ClaimedJob, choice: Choice): RunWatch {
  const { clock, watch } = execution
  const startedAt = clock.now()
  const steps: RunReport['steps'][number][] = []
  let call: CallReport | null = null
  return {
    async during(step, work) {
      const stepAt = clock.now()
      let broken = true
      try {
        const result = await work()
        broken = false
        return result
      } finally {
        steps.push({ step, startedAt: stepAt, endedAt: clock.now(), broken })
      }
    },
    called(outcome, firstTokenMs) {
      if (steps.some(({ step }) => step === 'call')) call = reportOf(choice, outcome, firstTokenMs)
    },
    end() {
      const { jobId, promptId, run, attempt, queuedMs } = claim
      watch.tellRun({
        jobId,
        promptId,
        run,
        attempt,
        queuedMs,
        startedAt,
        endedAt: clock.now(),
        steps,
        call,
      })
    },
  }
}

function reportOf(choice: Choice, outcome: Outcome, firstTokenMs: number | null): CallReport {
  const answer = outcome.kind === 'answered' ? outcome.result : null
  return {
    provider: choice.provider.id,
    model: choice.model,
    servedModel: answer?.model ?? null,
    requestId: requestIdOf(outcome, answer),
    finishReason: answer?.finishReason ?? null,
    inputTokens: answer?.inputTokens ?? null,
    outputTokens: answer?.outputTokens ?? null,
    firstTokenMs,
    outcome: wordOf(outcome),
  }
}

function requestIdOf(outcome: Outcome, answer: AttemptResult | null): string | null {
  return outcome.kind === 'failed' ? outcome.requestId : (answer?.requestId ?? null)
}

function wordOf(outcome: Outcome): CallReport['outcome'] {
  switch (outcome.kind) {
    case 'answered':
      return 'answered'
    case 'failed':
      return outcome.failure.kind
    case 'stopped':
      return outcome.reason
  }
}
