import { createHash } from 'node:crypto'
import { v7 as uuidV7 } from 'uuid'
import { maxAttemptsDefault, priorityDefault } from '../../shared/job.ts'
import type { SubmitOptions, SubmitRequest, SubmitResponse } from '../../shared/submit.ts'
import { claimRank } from '../domain/claim-order.ts'
import { DomainError, invalidField } from '../domain/errors.ts'
import { excerpt } from '../domain/prompt-text.ts'
import { chooseModel } from './choose-model.ts'
import type { Execution, Scope } from './context.ts'
import { scheduledTime } from './scheduled-time.ts'
import type { PreparedSubmit } from './submit-queue.ts'

const titleCharsMax = 80

/**
 * Accepts a prompt as a durable job: prompt, job and event are committed before this resolves. The prompt's id is the
 * idempotency key: the same id with the same content answers the same ids again.
 *
 * @throws DomainError `prompt_conflict` for the same id with other content, `invalid_request` for a parent or root that
 * is not there, `gone` for a deleted one, `unsupported_option` for what this server does not do yet.
 */
export async function submitPrompt(
  execution: Execution,
  scope: Scope,
  request: SubmitRequest,
): Promise<SubmitResponse> {
  const response = await execution.submits.submit(prepareSubmit(execution, scope, request))
  const { prompt_id, job_id, state } = response
  execution.log.info({ prompt_id, job_id, state }, 'prompt accepted')
  return response
}

/** A request as the queue takes it; everything that needs no stored row is decided here. */
export function prepareSubmit(execution: Execution, scope: Scope, request: SubmitRequest): PreparedSubmit {
  const options = request.options ?? {}
  refuseUnsupported(options)
  const scheduledFor = scheduledTime(options)
  const { provider, model } = chooseModel(execution.providers, options)
  const promptId = request.prompt_id ?? uuidV7()
  const digest = digestOf(request)
  return {
    promptId,
    orgId: scope.orgId,
    personId: scope.personId,
    digest,
    parentId: request.parent_id ?? null,
    rootId: request.root_entity_id ?? null,
    row: ({ parentId, correlationId, createdAt }) => {
      const priority = options.priority ?? priorityDefault
      return {
        prompt_id: promptId,
        job_id: uuidV7(),
        org_id: scope.orgId,
        created_by: scope.personId,
        parent_id: parentId,
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
        available_at: new Date(Math.max(createdAt.getTime(), scheduledFor?.getTime() ?? 0)).toISOString(),
        claim_rank: claimRank({ createdAt, scheduledFor, priority }, execution.settings.agingMs),
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
  if (options.after !== undefined) refuse('options.after', 'is not supported by this server')
  if (options.template !== undefined) refuse('options.template', 'is not supported by this server')
  if (options.router_model !== undefined) refuse('options.router_model', 'is not supported by this server')
  if (options.budget === 'long_compute')
    refuse('options.budget', 'needs a template, which this server has none of')
  if ((options.context_ids ?? []).length > 0)
    throw invalidField('options.context_ids', 'names no context of yours')
}

/** The content of a request, its id apart, independent of the order in which its options were written. */
function digestOf(request: SubmitRequest): string {
  const { text, parent_id = null, root_entity_id = null, options = {} } = request
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([text, parent_id, root_entity_id, sorted]))
    .digest('hex')
}
