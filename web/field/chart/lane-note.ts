import { fieldFlags } from '../../../shared/observe.ts'
import type { PromptStates } from '../../sync/rows/prompt-states.ts'

/** What a lane says below its title: how many prompts, and the one thing that matters most in it. */
export interface LaneNote {
  readonly count: number
  readonly live: { readonly text: string; readonly tone: 'alive' | 'wait' | 'salmon' | 'plain' } | null
}

/** Pure, from the rows of the lane's prompts: at work before waiting before failed before practice. */
export function laneNote(promptIds: readonly string[], states: Pick<PromptStates, 'get'>): LaneNote {
  let running = 0
  let waiting = 0
  let failed = 0
  let practice = 0
  for (const id of promptIds) {
    const row = states.get(id)
    if (row === undefined) continue
    if (row.state === 'running') running += 1
    if (row.state === 'queued') waiting += 1
    if (row.state === 'failed') failed += 1
    if ((row.flags & fieldFlags.practice) !== 0) practice += 1
  }
  const count = promptIds.length
  if (running > 0) return { count, live: { text: `${running} answering`, tone: 'alive' } }
  if (waiting > 0) return { count, live: { text: `${waiting} waiting`, tone: 'wait' } }
  if (failed > 0) return { count, live: { text: `${failed} failed`, tone: 'salmon' } }
  return { count, live: practice === count && count > 0 ? { text: 'practice', tone: 'plain' } : null }
}
