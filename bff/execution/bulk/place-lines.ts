import { DomainError, invalidField } from '../../domain/errors.ts'
import type { StoredPrompt, ThreadLeaf } from '../../store/entities/read-prompts.ts'
import type { NewPrompt } from '../../store/jobs/insert-prompts.ts'
import {
  namedPrompt,
  type PlaceField,
  type PreparedSubmit,
  refuseTwoPredecessors,
  sameAgain,
} from '../submit/place-prompt.ts'
import { type BulkOutcome, lineName } from './bulk-line.ts'
import { orRefusal, type PreparedBulk } from './prepare-bulk.ts'

/** What is stored of the prompts and threads that a request names, at one moment. */
export interface StoredPlaces {
  prompts: ReadonlyMap<string, StoredPrompt>
  leaves: readonly ThreadLeaf[]
  now: Date
}

/** `rows` are those to store, in an order in which each comes after those it names. */
export interface PlacedBulk {
  outcomes: BulkOutcome[]
  rows: NewPrompt[]
}

/** Where a prompt hangs that others may hang on: stored, or a line of this request. */
interface Place {
  id: string
  threadId: string
  state: string
  createdMs: number
}

/**
 * Gives each line its place, by the order of `bulk`, and its outcome by the order of the request. A line whose
 * predecessor in the request was refused is refused too.
 *
 * Lines are a millisecond apart in the order of the request, the last one now, so that the field keeps that order; a
 * prompt is never as old as what it continues.
 */
export function placeLines(bulk: PreparedBulk, stored: StoredPlaces): PlacedBulk {
  const outcomes = new Map<number, BulkOutcome>()
  const placed = new Map<string, Place>()
  const leaves = new Map(stored.leaves.map((leaf) => [leaf.thread_id, placeOfLeaf(leaf)]))
  const rows: NewPrompt[] = []

  const placeOf = (prepared: PreparedSubmit, field: PlaceField, id: string): Place => {
    const line = bulk.lineOf.get(id)
    if (line !== undefined && outcomes.get(line)?.status === 'refused') {
      throw invalidField(field, `names ${lineName(line)}, which was refused`)
    }
    return placed.get(id) ?? placeOfStored(namedPrompt(prepared, field, stored.prompts.get(id)))
  }

  const parentOf = (prepared: PreparedSubmit): Place | null => {
    const { parentId, rootId } = prepared
    if (parentId !== null) return placeOf(prepared, 'parent_id', parentId)
    if (rootId === null) return null
    const root = placeOf(prepared, 'root_entity_id', rootId)
    return leaves.get(root.threadId) ?? root
  }

  const accept = (index: number, prepared: PreparedSubmit): BulkOutcome => {
    const { promptId, afterId } = prepared
    const known = stored.prompts.get(promptId)
    if (known) return { index, status: 'already_accepted', promptId, jobId: sameAgain(prepared, known) }
    const parent = parentOf(prepared)
    if (afterId !== null) placeOf(prepared, 'options.after', afterId)
    refuseTwoPredecessors(prepared, parent)
    const inOrderMs = stored.now.getTime() - (bulk.lines.length - 1 - index)
    const createdMs = Math.max(inOrderMs, parent === null ? 0 : parent.createdMs + 1)
    const threadId = parent?.threadId ?? promptId
    const row = prepared.row({
      parentId: parent?.id ?? null,
      correlationId: threadId,
      createdAt: new Date(createdMs),
    })
    const place = { id: promptId, threadId, state: 'queued', createdMs }
    rows.push(row)
    placed.set(promptId, place)
    leaves.set(threadId, place)
    return { index, status: 'accepted', promptId, jobId: row.job_id }
  }

  for (const index of bulk.order) {
    const line = bulk.lines[index]
    if (line === undefined) continue
    const { givenId, prepared } = line
    const outcome =
      prepared instanceof DomainError ? prepared : orRefusal(index, () => accept(index, prepared))
    outcomes.set(
      index,
      outcome instanceof DomainError
        ? { index, status: 'refused', promptId: givenId, error: outcome }
        : outcome,
    )
  }
  return { outcomes: [...outcomes.values()].sort((a, b) => a.index - b.index), rows }
}

function placeOfStored({ id, correlation_id, state, created_at }: StoredPrompt): Place {
  return { id, threadId: correlation_id, state, createdMs: created_at.getTime() }
}

function placeOfLeaf({ id, thread_id, state, created_at }: ThreadLeaf): Place {
  return { id, threadId: thread_id, state, createdMs: created_at.getTime() }
}
