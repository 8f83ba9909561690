import type { Look } from './look-of.ts'

/** The colour that a state's word takes; null where the word stays as quiet as the rest. */
export type Tone = 'alive' | 'wait' | 'salmon' | 'amber' | 'ink'

export function toneOf({ disc }: Pick<Look, 'disc'>): Tone | null {
  switch (disc) {
    case 'pending':
    case 'external':
      return 'alive'
    case 'queued':
      return 'wait'
    case 'orphan':
      return 'salmon'
    case 'review':
      return 'amber'
    case 'new':
    case 'unsent':
      return 'ink'
    default:
      return null
  }
}
