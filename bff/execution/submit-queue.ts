import type { SubmitResponse } from '../../shared/submit.ts'
import { DomainError } from '../domain/errors.ts'
import type { Clock } from '../domain/ports.ts'
import type { Signal } from '../domain/signals.ts'
import type { Database, Queryable } from '../store/database/database.ts'
import { newestLeaves, readPrompts, type StoredPrompt } from '../store/entities/read-prompts.ts'
import { encodeCursor } from '../store/events/cursor.ts'
import { currentSnapshot, ownSnapshot } from '../store/events/snapshot.ts'
import { insertPrompts, type NewPrompt, PredecessorMovedError } from '../store/jobs/insert-prompts.ts'
import { readViewsById } from '../store/views/read-views.ts'
import {
  namedPrompt,
  type PlaceField,
  type PreparedSubmit,
  refuseTwoPredecessors,
  sameAgain,
} from './submit/place-prompt.ts'

const flushRowsMax = 64
/** The 202 waits for it: without it a worker elsewhere might not look. */
export const announcedAfter = { announce: 'after' } as const
export const newJobs: readonly Signal[] = [{ topic: 'job-queued' }, { topic: 'events' }]

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
  orgConcurrency: number
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

  /** What was overtaken by a retry of its predecessor waits for the next turn. */
  const giveUpOn = (batch: readonly Waiting[], error: unknown): void => {
    if (error instanceof PredecessorMovedError) waiting.unshift(...batch)
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
 * The next submits that can share a statement: distinct ids, and none that continues another of the same batch or runs
 * after it, whose rows are not there to be looked at yet; nor one that names, or repeats, another that is left out, which
 * keeps its place.
 */
function takeBatch(waiting: Waiting[]): Waiting[] {
  const batch: Waiting[] = []
  const ids = new Set<string>()
  const rest: Waiting[] = []
  for (const one of waiting.splice(0)) {
    const { promptId, parentId, rootId, afterId } = one.prepared
    const clashes =
      [promptId, parentId, afterId].some((id) => id !== null && ids.has(id)) ||
      (rootId !== null && ids.size > 0)
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
        { orgConcurrency: parts.orgConcurrency, now: parts.clock.now() },
      )
      const jobs = new Map(fresh.map(({ row }) => [row.prompt_id, row.job_id]))
      for (const id of jobs.keys()) if (!ids.has(id)) jobs.delete(id)
      return readAnswers(tx, { epoch, from: ownSnapshot(tx) }, parts.clock, jobs)
    }, announcedAfter)
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
    const position = { epoch, from: await currentSnapshot(database) }
    const again = await readAnswers(database, position, parts.clock, firstJobs)
    for (const [id, answer] of again) answers.set(id, answer)
    // Who sends again may have had no answer because we ended before others were told.
    if ([...again.values()].some(({ state }) => state === 'queued')) await database.announce(newJobs)
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
  const ids = batch.flatMap(({ prepared }) => {
    return [prepared.promptId, prepared.parentId, prepared.rootId, prepared.afterId]
  })
  const rows = await readPrompts(database, [...new Set(ids.filter((id) => id !== null))])
  return new Map(rows.map((row) => [row.id, row]))
}

async function placedRow(
  parts: SubmitQueueParts,
  prepared: PreparedSubmit,
  known: Map<string, StoredPrompt>,
): Promise<NewPrompt> {
  const createdAt = parts.clock.now()
  const { promptId, rootId, afterId } = prepared
  const named = (field: PlaceField, id: string) => namedPrompt(prepared, field, known.get(id))
  const hookId = rootId ?? prepared.parentId
  const hook = hookId === null ? null : named(rootId === null ? 'parent_id' : 'root_entity_id', hookId)
  if (afterId !== null) named('options.after', afterId)
  if (hook === null) return prepared.row({ parentId: null, correlationId: promptId, createdAt })
  const thread = hook.correlation_id
  const [leaf] = rootId === null ? [] : await newestLeaves(parts.database, [thread])
  const parent = leaf ?? hook
  refuseTwoPredecessors(prepared, parent)
  return prepared.row({ parentId: parent.id, correlationId: thread, createdAt })
}

/** How prompts stand, with the position in the events from which to go on; jobs by prompt. */
async function readAnswers(
  queryable: Queryable,
  position: { epoch: string; from: string | Promise<string> },
  clock: Clock,
  jobs: ReadonlyMap<string, string>,
): Promise<Map<string, SubmitResponse>> {
  const [from, views] = await Promise.all([
    position.from,
    jobs.size === 0 ? [] : readViewsById(queryable, [...jobs.keys()]),
  ])
  const cursor = encodeCursor({ epoch: position.epoch, from })
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
