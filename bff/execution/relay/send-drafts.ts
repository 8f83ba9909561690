import type { Clock, Log } from '../../domain/ports.ts'
import type { Broadcast } from '../../store/database/broadcast.ts'
import type { LiveDraft } from '../attempt/live-drafts.ts'
import { type DraftMessage, textMessages, writeMessage } from './draft-messages.ts'

/** Four times a second at most, as streams do. */
const everyMs = 250
const retryMs = 1_000
/** How often who watches is asked for a sign of life, while there is something to send. */
const askEveryMs = 30_000
/** One that let so many questions pass has gone without a word. */
const unansweredMax = 2

/**
 * Sends the text of this process's attempts to processes that show it, all that is new in one statement. It sends
 * nothing while nobody watches: only with its first text, and again after it could not hear the others for a while, it
 * asks who does.
 */
export interface DraftSender {
  onGrowth(draft: LiveDraft): void
  onEnd(draft: LiveDraft): void
  onMessage(from: string, message: DraftMessage): void
  onGap(): void
  /** Resolves when what is under way was sent. */
  close(): Promise<void>
}

export interface RelayParts {
  broadcast: Broadcast
  clock: Clock
  log: Log
}

interface Held {
  readonly draft: LiveDraft
  /** Offset up to which it was sent. */
  sent: number
}

export function createDraftSender({ broadcast, clock, log }: RelayParts): DraftSender {
  const held = new Map<string, Held>()
  const ended = new Map<string, number>()
  /** Who watches, and how many questions it has let pass. */
  const watchers = new Map<string, number>()
  let askedMs: number | null = null
  let sentMs = 0
  let disarm: (() => void) | null = null
  let sending: Promise<void> | null = null
  let closed = false

  const nowMs = (): number => clock.now().getTime()

  const arm = (atMs = Math.max(nowMs(), sentMs + everyMs)): void => {
    if (!closed && !sending) disarm ??= clock.at(new Date(atMs), flush)
  }

  const flush = (): void => {
    disarm = null
    const messages = [...questions(), ...texts(), ...endings()]
    if (messages.length === 0) return
    sentMs = nowMs()
    let again: number | undefined
    sending = broadcast
      .say(messages)
      .catch((error: unknown) => {
        log.warn({ err: error }, 'text as it arrives could not be sent to other processes')
        askedMs = null
        again = nowMs() + retryMs
        sendAnew()
      })
      .finally(() => {
        sending = null
        if (hasNews()) arm(again)
      })
  }

  const questions = (): string[] => {
    const isDue = askedMs === null || (watchers.size > 0 && nowMs() - askedMs >= askEveryMs)
    if (!isDue || held.size === 0) return []
    askedMs = nowMs()
    for (const [watcher, unanswered] of [...watchers]) {
      if (unanswered >= unansweredMax) watchers.delete(watcher)
      else watchers.set(watcher, unanswered + 1)
    }
    return [writeMessage({ kind: 'who-watches' })]
  }

  const texts = (): string[] => {
    if (watchers.size === 0) return []
    return [...held.values()].flatMap((one) => {
      const { messages, until } = textMessages(one.draft, one.sent, broadcast.messageBytesMax)
      one.sent = until
      return messages
    })
  }

  const endings = (): string[] => {
    const told = watchers.size === 0 ? [] : [...ended]
    ended.clear()
    return told.map(([job_id, run]) => writeMessage({ kind: 'ended', job_id, run }))
  }

  const hasNews = (): boolean => {
    if (held.size > 0 && askedMs === null) return true
    if (watchers.size === 0) return false
    return ended.size > 0 || [...held.values()].some(({ draft, sent }) => sent < draft.text.length)
  }

  const sendAnew = (): void => {
    for (const one of held.values()) one.sent = 0
  }

  return {
    onGrowth(draft) {
      if (held.get(draft.jobId)?.draft !== draft) held.set(draft.jobId, { draft, sent: 0 })
      if (hasNews()) arm()
    },
    onEnd(draft) {
      if (held.get(draft.jobId)?.draft !== draft) return
      held.delete(draft.jobId)
      ended.set(draft.jobId, draft.run)
      if (hasNews()) arm()
      else ended.clear()
    },
    onMessage(from, message) {
      if (message.kind === 'watching') {
        if (message.anew || !watchers.has(from)) sendAnew()
        watchers.set(from, 0)
      } else if (message.kind === 'not-watching') {
        watchers.delete(from)
      } else if (message.kind === 'draft-wanted') {
        const wanted = held.get(message.job_id)
        if (wanted) wanted.sent = 0
      }
      if (hasNews()) arm()
    },
    onGap() {
      // Who asked for a part that it had missed was not heard: whoever answers now gets everything anew.
      watchers.clear()
      askedMs = null
      if (hasNews()) arm()
    },
    async close() {
      closed = true
      disarm?.()
      await sending
      if (ended.size > 0) flush()
      await sending
    },
  }
}
