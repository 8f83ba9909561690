import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { errorKind } from '../../../shared/job.ts'
import type { CallReport, RunReport, RunStep } from '../../domain/watched-facts.ts'

const spanNames: Readonly<Record<RunStep, string>> = {
  context: 'build context',
  call: 'model.call',
  settle: 'settle',
}

/**
 * One run as one trace: `job.run` with its steps below it, at the times at which they happened. The call has the
 * attributes of the GenAI conventions; no span has a text of anybody's.
 */
export function recordRun(tracer: Tracer, run: RunReport): void {
  const attributes: Attributes = {
    'mission.job.id': run.jobId,
    'mission.prompt.id': run.promptId,
    'mission.job.run': run.run,
    'mission.job.attempt': run.attempt,
    'mission.job.queued_ms': run.queuedMs,
    'mission.job.outcome': run.call?.outcome ?? 'broken',
  }
  const whole = tracer.startSpan('job.run', { startTime: run.startedAt, attributes }, ROOT_CONTEXT)
  const inside = trace.setSpan(ROOT_CONTEXT, whole)
  for (const step of run.steps) recordStep(tracer, inside, step, run.call)
  const failed = run.call === null || isFailure(run.call.outcome) || run.steps.some(({ broken }) => broken)
  if (failed) whole.setStatus({ code: SpanStatusCode.ERROR, message: run.call?.outcome ?? 'broken' })
  whole.end(run.endedAt)
}

function recordStep(
  tracer: Tracer,
  inside: Context,
  { step, startedAt, endedAt, broken }: RunReport['steps'][number],
  call: CallReport | null,
): void {
  const called = step === 'call' ? call : null
  const span = tracer.startSpan(
    spanNames[step],
    {
      startTime: startedAt,
      kind: step === 'call' ? SpanKind.CLIENT : SpanKind.INTERNAL,
      ...(called && { attributes: callAttributes(called) }),
    },
    inside,
  )
  const failure = called && isFailure(called.outcome) ? called.outcome : null
  if (broken || failure) span.setStatus({ code: SpanStatusCode.ERROR, message: failure ?? 'broken' })
  span.end(endedAt)
}

function callAttributes(call: CallReport): Attributes {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': call.provider,
    'gen_ai.request.model': call.model,
    'gen_ai.response.model': call.servedModel,
    'gen_ai.response.id': call.requestId,
    'gen_ai.response.finish_reasons': call.finishReason === null ? null : [call.finishReason],
    'gen_ai.usage.input_tokens': call.inputTokens,
    'gen_ai.usage.output_tokens': call.outputTokens,
    'mission.first_token_ms': call.firstTokenMs,
    'error.type': isFailure(call.outcome) ? call.outcome : null,
  }
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  )
}

/** A call that we ended ourselves did not fail. */
function isFailure(outcome: CallReport['outcome']): boolean {
  return errorKind.safeParse(outcome).success
}
