import type { JobState } from '../../shared/job.ts'
import { fieldFlags } from '../../shared/observe.ts'

export const groupNames = ['needs-you', 'at-work', 'waiting', 'answered', 'cancelled'] as const
export type GroupName = (typeof groupNames)[number]

export const groupWords: Readonly<Record<GroupName, string>> = {
  'needs-you': 'Needs you',
  'at-work': 'At work',
  waiting: 'Waiting',
  answered: 'Answered',
  cancelled: 'Cancelled',
}

/** All groups, one of them, or the answers not seen yet. */
export type ListFilter = 'all' | 'new' | GroupName

/** What decides where a prompt stands in the list. */
export interface ListedState {
  readonly state: JobState
  /** Bits of `fieldFlags`. */
  readonly flags: number
}

export type ListItem =
  | { readonly kind: 'group'; readonly group: GroupName; readonly count: number }
  | { readonly kind: 'prompt'; readonly promptId: string }

export interface Grouped {
  readonly items: readonly ListItem[]
  readonly counts: Readonly<Record<ListFilter, number>>
}

/**
 * The rows of the list: groups in the order of how much they ask of a person, empty ones left out, newest first
 * within each.
 *
 * @param ids all prompts, oldest first
 * @param isInReview whether a running one takes so long that a person is asked
 */
export function groupRows(
  ids: readonly string[],
  stateOf: (promptId: string) => ListedState | undefined,
  isInReview: (promptId: string) => boolean,
  filter: ListFilter,
): Grouped {
  const groups: Record<GroupName, string[]> = {
    'needs-you': [],
    'at-work': [],
    waiting: [],
    answered: [],
    cancelled: [],
  }
  const unseen: string[] = []
  for (let at = ids.length - 1; at >= 0; at--) {
    const promptId = ids[at]
    const known = promptId === undefined ? undefined : stateOf(promptId)
    if (promptId === undefined || known === undefined) continue
    groups[groupOf(known, () => isInReview(promptId))].push(promptId)
    if (isUnseen(known)) unseen.push(promptId)
  }
  const counts = {
    all: groupNames.reduce((sum, name) => sum + groups[name].length, 0),
    new: unseen.length,
    'needs-you': groups['needs-you'].length,
    'at-work': groups['at-work'].length,
    waiting: groups.waiting.length,
    answered: groups.answered.length,
    cancelled: groups.cancelled.length,
  }
  const items: ListItem[] = []
  for (const group of groupNames) {
    const shown = shownOf(group, groups[group], unseen, filter)
    if (shown.length === 0) continue
    items.push({ kind: 'group', group, count: shown.length })
    for (const promptId of shown) items.push({ kind: 'prompt', promptId })
  }
  return { items, counts }
}

function shownOf(
  group: GroupName,
  all: readonly string[],
  unseen: readonly string[],
  filter: ListFilter,
): readonly string[] {
  if (filter === 'new') return group === 'answered' ? unseen : []
  return filter === 'all' || filter === group ? all : []
}

function groupOf({ state, flags }: ListedState, isInReview: () => boolean): GroupName {
  switch (state) {
    case 'failed':
      return 'needs-you'
    case 'running':
      return isInReview() ? 'needs-you' : 'at-work'
    case 'queued':
      // Held: its predecessor will not come, and only a person can say what then.
      return (flags & fieldFlags.held) === 0 ? 'waiting' : 'needs-you'
    case 'succeeded':
      return 'answered'
    case 'cancelled':
    case 'superseded':
      return 'cancelled'
    default:
      return unreachable(state)
  }
}

function isUnseen({ state, flags }: ListedState): boolean {
  return state === 'succeeded' && (flags & fieldFlags.unseen) !== 0
}

function unreachable(state: never): never {
  throw new Error(`a prompt is in a state that has no group: ${String(state)}`)
}
