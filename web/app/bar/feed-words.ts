import { clockText } from '../../marks/time-text.ts'
import type { FeedStatus } from '../../sync/feed-status.ts'

export type FeedShape = 'disc' | 'ring' | 'triangle' | 'cross'

export interface FeedWords {
  /** Shape, word and colour change together; the first two suffice. */
  readonly shape: FeedShape
  readonly tone: 'live' | 'polling' | 'offline' | 'plain'
  readonly words: string
}

/** How the page hears of changes, in words; `unsent` prompts are named while nothing answers. */
export function feedWords(status: FeedStatus, unsent: number, timeZone: string): FeedWords {
  switch (status.mode) {
    case 'live':
      return { shape: 'disc', tone: 'live', words: 'live' }
    case 'polling':
      return status.isAsking
        ? { shape: 'triangle', tone: 'polling', words: 'polling every 2 s' }
        : { shape: 'triangle', tone: 'polling', words: 'polling when something runs' }
    case 'offline': {
      const since = `offline since ${clockText(status.sinceMs, timeZone)}`
      return { shape: 'cross', tone: 'offline', words: unsent === 0 ? since : `${since} · ${unsent} unsent` }
    }
    case 'signed-out':
      return {
        shape: 'cross',
        tone: 'offline',
        words: unsent === 0 ? 'signed out' : `signed out · ${unsent} unsent`,
      }
    case 'starting':
      return { shape: 'ring', tone: 'plain', words: 'connecting' }
    default:
      return unreachable(status)
  }
}

function unreachable(status: never): never {
  throw new Error(`a feed is in a mode that has no words: ${JSON.stringify(status)}`)
}
