import type { JobState } from '../../../shared/job.ts'
import { type FieldResponse, fieldFlags } from '../../../shared/observe.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import { createListeners } from '../listeners.ts'

/** The little that is known of every prompt, also of those whose view was never read. */
export interface PromptState {
  readonly state: JobState
  /** Bits of `fieldFlags`. */
  readonly flags: number
  /** −1 while the server has not answered. */
  readonly revision: number
  readonly batchId: string | null
}

/** Counts of rows that the server has; what is still on its way there counts as `unsent` only. */
export interface PromptCounts {
  readonly atWork: number
  readonly waiting: number
  readonly failed: number
  /** Answers not seen yet. */
  readonly unseen: number
  readonly total: number
}

export interface PromptStates {
  get(id: string): PromptState | undefined
  counts(): PromptCounts
  /** Ids of prompts that wait or run. */
  active(): ReadonlySet<string>
  /** Rises with every change; for who draws all prompts at once. */
  version(): number
  subscribe(listener: () => void): () => void
  put(view: PromptView): void
  remove(id: string): void
  /** Takes over the field's columns; rows that are known at a higher revision stay. */
  merge(field: FieldResponse): void
  restart(field: FieldResponse, keep: ReadonlySet<string>): void
  flush(): void
}

const noCounts: PromptCounts = { atWork: 0, waiting: 0, failed: 0, unseen: 0, total: 0 }

export function createPromptStates(): PromptStates {
  const rows = new Map<string, PromptState>()
  const active = new Set<string>()
  const listeners = createListeners()
  let counts = noCounts
  let version = 0
  let isChanged = false

  function set(id: string, row: PromptState | undefined) {
    const known = rows.get(id)
    if (known !== undefined && row !== undefined && isSameState(known, row)) return
    counts = counted(counted(counts, known, -1), row, 1)
    if (row === undefined) rows.delete(id)
    else rows.set(id, row)
    if (row?.state === 'queued' || row?.state === 'running') active.add(id)
    else active.delete(id)
    version += 1
    isChanged = true
  }

  function merge(field: FieldResponse) {
    field.ids.forEach((id, index) => {
      const revision = field.revision[index] ?? 0
      const state = field.state[index]
      const known = rows.get(id)
      if (state === undefined || (known !== undefined && known.revision > revision)) return
      set(id, { state, flags: field.flags[index] ?? 0, revision, batchId: field.batch[index] ?? null })
    })
  }

  return {
    get: (id) => rows.get(id),
    counts: () => counts,
    active: () => active,
    version: () => version,
    subscribe: listeners.subscribe,
    put: (view) => set(view.prompt_id, stateOfView(view)),
    remove: (id) => set(id, undefined),
    merge,
    restart(field, keep) {
      for (const id of [...rows.keys()]) if (!keep.has(id)) set(id, undefined)
      merge(field)
    },
    flush() {
      if (isChanged) listeners.tell()
      isChanged = false
    },
  }
}

function stateOfView(view: PromptView): PromptState {
  const flags =
    (view.state === 'succeeded' && !view.seen ? fieldFlags.unseen : 0) |
    (view.truncated ? fieldFlags.truncated : 0) |
    (view.promoted ? fieldFlags.promoted : 0) |
    (view.practice ? fieldFlags.practice : 0) |
    (view.external ? fieldFlags.external : 0) |
    (view.wait_reason?.code === 'held' ? fieldFlags.held : 0)
  return { state: view.state, flags, revision: view.revision, batchId: view.batch_id }
}

function counted(counts: PromptCounts, row: PromptState | undefined, by: 1 | -1): PromptCounts {
  if (row === undefined || row.revision < 0) return counts
  const isUnseen = row.state === 'succeeded' && (row.flags & fieldFlags.unseen) !== 0
  return {
    atWork: counts.atWork + (row.state === 'running' ? by : 0),
    waiting: counts.waiting + (row.state === 'queued' ? by : 0),
    failed: counts.failed + (row.state === 'failed' ? by : 0),
    unseen: counts.unseen + (isUnseen ? by : 0),
    total: counts.total + by,
  }
}

function isSameState(one: PromptState, other: PromptState): boolean {
  return (
    one.state === other.state &&
    one.flags === other.flags &&
    one.revision === other.revision &&
    one.batchId === other.batchId
  )
}
