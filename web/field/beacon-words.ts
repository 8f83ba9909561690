import type { PromptStates } from '../sync/rows/prompt-states.ts'
import type { Rect } from './engine/camera.ts'
import type { Layout } from './engine/layout.ts'

/** What lives or failed outside the view, and one prompt of it to travel to. */
export interface Beacon {
  readonly side: 'above' | 'below' | 'earlier' | 'later'
  readonly text: string
  readonly promptId: string
}

const titles = { above: 'Above', below: 'Below', earlier: 'Earlier', later: 'Later' } as const

interface Tally {
  running: number
  waiting: number
  failed: number
  promptId: string
}

/** The beacons of a view, in words such as "Below: 1 answering, 41 waiting". Nothing out there, no beacon. */
export function beaconsOf(layout: Layout, rect: Rect, states: Pick<PromptStates, 'get'>): Beacon[] {
  const tallies = new Map<Beacon['side'], Tally>()
  layout.ids.forEach((promptId, index) => {
    const state = states.get(promptId)?.state
    if (state !== 'running' && state !== 'queued' && state !== 'failed') return
    const side = sideOf(rect, layout.column[index] ?? 0, layout.row[index] ?? 0)
    if (side === null) return
    const tally = tallies.get(side) ?? { running: 0, waiting: 0, failed: 0, promptId }
    if (state === 'running') tally.running += 1
    else if (state === 'queued') tally.waiting += 1
    else tally.failed += 1
    tallies.set(side, tally)
  })
  return (['above', 'below', 'earlier', 'later'] as const).flatMap((side) => {
    const tally = tallies.get(side)
    return tally ? [{ side, text: `${titles[side]}: ${wordsOf(tally)}`, promptId: tally.promptId }] : []
  })
}

function sideOf(rect: Rect, column: number, row: number): Beacon['side'] | null {
  if (row < rect.top) return 'above'
  if (row > rect.bottom) return 'below'
  if (column < rect.left) return 'earlier'
  return column > rect.right ? 'later' : null
}

function wordsOf({ running, waiting, failed }: Tally): string {
  const parts = [
    running > 0 ? `${running} answering` : '',
    waiting > 0 ? `${waiting} waiting` : '',
    failed > 0 ? `${failed} failed` : '',
  ]
  return parts.filter((part) => part !== '').join(', ')
}
