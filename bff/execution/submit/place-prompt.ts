import { DomainError, invalidField, notFound } from '../../domain/errors.ts'
import type { StoredPrompt } from '../../store/entities/read-prompts.ts'
import type { NewPrompt } from '../../store/jobs/insert-prompts.ts'

/** A submit with its texts checked; what depends on stored rows (parent, thread) is settled when it is stored. */
export interface PreparedSubmit {
  promptId: string
  orgId: string
  personId: string
  /** Of text, place and options as requested: tells a repetition from another prompt under the same id. */
  digest: string
  parentId: string | null
  rootId: string | null
  /** The prompt to run after without continuing it. */
  afterId: string | null
  /** The row, given where it hangs and when it is stored. */
  row: (place: { parentId: string | null; correlationId: string; createdAt: Date }) => NewPrompt
}

/** What a submit may name to be placed by. */
export type PlaceField = 'parent_id' | 'root_entity_id' | 'options.after'

/** @returns the first job's id of a repetition. @throws DomainError for another's prompt or other content. */
export function sameAgain(prepared: PreparedSubmit, stored: StoredPrompt): string {
  if (!isOwn(prepared, stored)) throw notFound('prompt')
  if (stored.state_class === 'retracted') throw new DomainError('gone', 'This prompt was deleted.')
  if (stored.request_digest !== prepared.digest) {
    throw new DomainError(
      'prompt_conflict',
      'Another prompt was sent under this id already. Send it under a new one.',
      {
        errors: [{ field: 'prompt_id', message: 'belongs to a prompt with other content' }],
      },
    )
  }
  return stored.first_job_id
}

/**
 * The stored prompt that a submit names in `field`.
 *
 * @throws DomainError `invalid_request` unless it is there and the asker's own, `gone` when it was deleted.
 */
export function namedPrompt(
  prepared: PreparedSubmit,
  field: PlaceField,
  stored: StoredPrompt | undefined,
): StoredPrompt {
  if (!stored || !isOwn(prepared, stored)) throw invalidField(field, 'names no prompt of yours')
  if (stored.state_class !== 'retracted') return stored
  const what = field === 'options.after' ? 'The prompt to run after' : 'The prompt to continue'
  throw new DomainError('gone', `${what} was deleted.`, { errors: [{ field, message: 'was deleted' }] })
}

/**
 * A job waits for one other at most: who continues an unfinished prompt waits for that one, and may name the same as
 * `after`, but no other.
 *
 * @throws DomainError `two_predecessors` naming `options.after`.
 */
export function refuseTwoPredecessors(
  { afterId }: PreparedSubmit,
  parent: { id: string; state: string } | null,
): void {
  if (afterId === null || parent === null || parent.id === afterId) return
  if (parent.state !== 'queued' && parent.state !== 'running') return
  throw new DomainError(
    'two_predecessors',
    'The prompt to continue is unfinished, so this one waits for it and cannot run after another as well.',
    {
      errors: [
        { field: 'options.after', message: 'must not be another prompt than the unfinished one to continue' },
      ],
    },
  )
}

function isOwn(prepared: PreparedSubmit, stored: StoredPrompt): boolean {
  return stored.org_id === prepared.orgId && stored.created_by === prepared.personId
}
