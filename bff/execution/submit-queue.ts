import type { SubmitResponse } from '../../shared/submit.ts'
import { DomainError, invalidField, notFound } from '../domain/errors.ts'
import type { Clock } from '../domain/ports.ts'
import type { Database, Queryable } from '../store/database/database.ts'
import { newestLeaf, readPrompts, type StoredPrompt } from '../store/entities/read-prompts.ts'
import { type Cursor, encodeCursor } from '../store/events/cursor.ts'
import { currentSnapshot, ownSnapshot } from '../store/events/read-changes.ts'
import { insertPrompts, type NewPrompt, ParentRetriedError } from '../store/jobs/insert-prompts.ts'
import { readViewsById } from '../store/views/read-views.ts'

const flushRowsMax = 64

/** A submit with its texts checked; what depends on stored rows (parent, thread) is settled when it is flushed. */
export interface PreparedSubmit {
  promptId: string
  orgId: string
  personId: string
  /** Of text, place and options as requested: tells a repetition from another prompt under the same id. */
  digest: string
  parentId: string | null
  rootId: string | null
  /** The row, given where it hangs and when it is stored. */
  row: (place: { parentId: string | null; correlationId: string; createdAt: Date }) => NewPrompt
}

/**
 * Submits that wait together share one commit (DESIGN §8): at most 64 in one multi-row statement, one turn of the event
 * loop between flushes, so that reads get their turn. A batch that fails is replayed one by one, so that each submit
 * answers for itself only.
 */
export interface SubmitQueue {
  submit(prepared: PreparedSubmit): Promise<SubmitResponse>
}

interface Waiting {
  prepared: PreparedSubmit
  resolve: (response: SubmitResponse) => void
  reject: (error: unknown) => void
}

export interface SubmitQueueParts {
  database: Database
  clock: Clock
  meta: () => Promise<{ epoch: string }>
}

export function createSubmitQueue(parts: SubmitQueueParts): SubmitQueue {
  const waiting: Waiting[] = []
  let flushing = false

  const flushAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = takeBatch(waiting)
      try {
        await settleBatch(parts, batch)
      } catch (error) {
        if (batch.length === 1) giveUpOn(batch, error)
        else for (const one of batch) await settleBatch(parts, [one]).catch((alone) => giveUpOn([one], alone))
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** What was overtaken by a retry of its parent waits for the next turn. */
  const giveUpOn = (batch: readonly Waiting[], error: unknown): void => {
    if (error instanceof ParentRetriedError) waiting.unshift(...batch)
    else for (const one of batch) one.reject(error)
  }

  return {
    submit: (prepared) =>
      new Promise((resolve, reject) => {
        waiting.push({ prepared, resolve, reject })
        if (flushing) return
        flushing = true
        setImmediate(() => void flushAll().finally(() => (flushing = false)))
      }),
  }
}

/**
 * The next submits that can share a statement: distinct ids, and none that continues another of the same batch, whose
 * rows the statement could not see yet; nor one that continues, or repeats, another that is left out, which keeps its place.
 */
function takeBatch(waiting: Waiting[]): Waiting[] {
  const batch: Waiting[] = []
  const ids = new Set<string>()
  const rest: Waiting[] = []
  for (const one of waiting.splice(0)) {
    const { promptId, parentId, rootId } = one.prepared
    const clashes = ids.has(promptId) || (parentId && ids.has(parentId)) || (rootId !== null && ids.size > 0)
    if (clashes || batch.length >= flushRowsMax) rest.push(one)
    else batch.push(one)
    ids.add(promptId)
    if (rootId !== null) ids.add(rootId)
  }
  waiting.unshift(...rest)
  return batch
}

async function settleBatch(parts: SubmitQueueParts, batch: readonly Waiting[]): Promise<void> {
  const { database } = parts
  const refused = new Map<Waiting, unknown>()
  const firstJobs = new Map<string, string>()
  const known = await knownPrompts(database, batch)
  const fresh: { one: Waiting; row: NewPrompt }[] = []
  for (const one of batch) {
    try {
      const stored = known.get(one.prepared.promptId)
      if (stored) firstJobs.set(stored.id, sameAgain(one.prepared, stored))
      else fresh.push({ one, row: await placedRow(parts, one.prepared, known) })
    } catch (error) {
      refused.set(one, error)
    }
  }
  const answers = new Map<string, SubmitResponse>()
  if (fresh.length > 0) {
    const { epoch } = await parts.meta()
    // Read in the transaction that stores them: the answer says how they were accepted, whatever a worker does next.
    const made = await database.transaction(async (tx) => {
      const ids = await insertPrompts(
        tx,
        fresh.map(({ row }) => row),
      )
      const jobs = new Map(fresh.map(({ row }) => [row.prompt_id, row.job_id]))
      for (const id of jobs.keys()) if (!ids.has(id)) jobs.delete(id)
      return readAnswers(tx, { epoch, from: await ownSnapshot(tx) }, parts.clock, jobs)
    })
    for (const [id, answer] of made) answers.set(id, answer)
    const overtaken = fresh.filter(({ row }) => !answers.has(row.prompt_id)).map(({ one }) => one)
    // Another process stored the same id in between: answer as for any repetition.
    const others = await knownPrompts(database, overtaken)
    for (const one of overtaken) {
      try {
        const stored = others.get(one.prepared.promptId)
        if (!stored) throw new Error('a prompt that collides must be there')
        firstJobs.set(stored.id, sameAgain(one.prepared, stored))
      } catch (error) {
        refused.set(one, error)
      }
    }
  }
  if (firstJobs.size > 0) {
    const { epoch } = await parts.meta()
    const from = await currentSnapshot(database)
    const again = await readAnswers(database, { epoch, from }, parts.clock, firstJobs)
    for (const [id, answer] of again) answers.set(id, answer)
  }
  for (const one of batch) {
    const answer = answers.get(one.prepared.promptId)
    if (refused.has(one)) one.reject(refused.get(one))
    else if (answer) one.resolve(answer)
    else one.reject(new DomainError('gone', 'This prompt was deleted.'))
  }
}

async function knownPrompts(
  database: Database,
  batch: readonly Waiting[],
): Promise<Map<string, StoredPrompt>> {
  if (batch.length === 0) return new Map()
  const ids = batch.flatMap(({ prepared }) => [prepared.promptId, prepared.parentId, prepared.rootId])
  const rows = await readPrompts(database, [...new Set(ids.filter((id) => id !== null))])
  return new Map(rows.map((row) => [row.id, row]))
}

/** @returns the first job's id of a repetition. @throws DomainError for another's prompt or other content. */
function sameAgain(prepared: PreparedSubmit, stored: StoredPrompt): string {
  if (stored.org_id !== prepared.orgId || stored.created_by !== prepared.personId) throw notFound('prompt')
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

async function placedRow(
  parts: SubmitQueueParts,
  prepared: PreparedSubmit,
  known: Map<string, StoredPrompt>,
): Promise<NewPrompt> {
  const createdAt = parts.clock.now()
  const field = prepared.rootId === null ? 'parent_id' : 'root_entity_id'
  const hook = prepared.rootId ?? prepared.parentId
  if (hook === null) return prepared.row({ parentId: null, correlationId: prepared.promptId, createdAt })
  const stored = known.get(hook)
  if (!stored || stored.org_id !== prepared.orgId || stored.created_by !== prepared.personId) {
    throw invalidField(field, 'names no prompt of yours')
  }
  if (stored.state_class === 'retracted') {
    throw new DomainError('gone', 'The prompt to continue was deleted.', {
      errors: [{ field, message: 'was deleted' }],
    })
  }
  const parentId = prepared.rootId === null ? hook : await newestLeaf(parts.database, stored.correlation_id)
  return prepared.row({ parentId: parentId ?? hook, correlationId: stored.correlation_id, createdAt })
}

/** How prompts stand, with the position in the events from which to go on; jobs by prompt. */
async function readAnswers(
  queryable: Queryable,
  position: Cursor,
  clock: Clock,
  jobs: ReadonlyMap<string, string>,
): Promise<Map<string, SubmitResponse>> {
  if (jobs.size === 0) return new Map()
  const cursor = encodeCursor(position)
  const views = await readViewsById(queryable, [...jobs.keys()])
  const asOf = clock.now().toISOString()
  return new Map(
    views.map(({ view }) => {
      const { prompt_id, state } = view
      const answer = {
        prompt_id,
        job_id: jobs.get(prompt_id) ?? view.job_id,
        state,
        as_of: asOf,
        cursor,
        view,
      }
      return [prompt_id, answer]
    }),
  )
}
