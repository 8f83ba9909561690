import { v7 as uuidV7 } from 'uuid'
import { maxAttemptsDefault, priorityDefault } from '../../shared/job.ts'
import type { SubmitOptions, SubmitRequest, SubmitResponse } from '../../shared/submit.ts'
import { claimRank } from '../domain/claim-order.ts'
import { DomainError, invalidField } from '../domain/errors.ts'
import { excerpt } from '../domain/prompt-text.ts'
import { chooseModel } from './choose-model.ts'
import type { Execution, Scope } from './context.ts'
import { refusePast, scheduledTime } from './scheduled-time.ts'
import type { PreparedSubmit } from './submit/place-prompt.ts'
import { requestDigest } from './submit/request-digest.ts'

const titleCharsMax = 80

/**
 * Accepts a prompt as a durable job: prompt, job and event are committed before this resolves. The prompt's id is the
 * idempotency key: the same id with the same content answers the same ids again.
 *
 * @throws DomainError `prompt_conflict` for the same id with other content, `invalid_request` for a parent, root or
 * predecessor that is not there, `gone` for a deleted one, `two_predecessors`, `unsupported_option` for what this server does not do yet.
 */
export async function submitPrompt(
  execution: Execution,
  scope: Scope,
  request: SubmitRequest,
): Promise<SubmitResponse> {
  return execution.submits.submit(prepareSubmit(execution, scope, request))
}

/** What a bulk request decides for a line that does not say it itself. */
export interface SubmitDefaults {
  promptId: string
  priority: number
  batchId: string
}

/**
 * A request with everything decided that needs no stored row.
 *
 * @throws DomainError as `submitPrompt` does.
 */
export function prepareSubmit(
  execution: Execution,
  scope: Scope,
  request: SubmitRequest,
  defaults?: SubmitDefaults,
): PreparedSubmit {
  const options = request.options ?? {}
  refuseUnsupported(options)
  const planned = scheduledTime(options)
  const scheduledFor = planned?.at ?? null
  const { provider, model } = chooseModel(execution.providers, options)
  const promptId = request.prompt_id ?? defaults?.promptId ?? uuidV7()
  const afterId = options.after ?? null
  if (afterId === promptId) throw invalidField('options.after', 'must not name the prompt itself')
  const digest = requestDigest(request)
  return {
    promptId,
    orgId: scope.orgId,
    personId: scope.personId,
    digest,
    parentId: request.parent_id ?? null,
    rootId: request.root_entity_id ?? null,
    afterId,
    row: ({ parentId, correlationId, createdAt }) => {
      refusePast(planned, createdAt)
      const priority = options.priority ?? defaults?.priority ?? priorityDefault
      return {
        prompt_id: promptId,
        job_id: uuidV7(),
        org_id: scope.orgId,
        created_by: scope.personId,
        parent_id: parentId,
        after_id: afterId,
        correlation_id: correlationId,
        body: request.text,
        meta: { request_digest: digest },
        title: excerpt(request.text, titleCharsMax),
        priority,
        max_attempts: options.max_attempts ?? maxAttemptsDefault,
        budget: options.budget ?? 'unknown',
        provider: provider.id,
        model,
        execution_options: options,
        scheduled_for: scheduledFor?.toISOString() ?? null,
        time_zone: planned?.timeZone ?? null,
        available_at: new Date(Math.max(createdAt.getTime(), scheduledFor?.getTime() ?? 0)).toISOString(),
        claim_rank: claimRank({ createdAt, scheduledFor, priority }, execution.settings.agingMs),
        batch_id: defaults?.batchId ?? null,
        created_at: createdAt.toISOString(),
      }
    },
  }
}

/** An option that would be ignored is refused: silence would look like consent. */
function refuseUnsupported(options: SubmitOptions): void {
  const refuse = (field: string, message: string): never => {
    throw new DomainError('unsupported_option', `${field} ${message}`, { errors: [{ field, message }] })
  }
  if (options.template !== undefined) refuse('options.template', 'is not supported by this server')
  if (options.router_model !== undefined) refuse('options.router_model', 'is not supported by this server')
  if (options.budget === 'long_compute')
    refuse('options.budget', 'needs a template, which this server has none of')
  if ((options.context_ids ?? []).length > 0)
    throw invalidField('options.context_ids', 'names no context of yours')
}
