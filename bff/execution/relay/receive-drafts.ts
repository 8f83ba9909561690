import type { LiveDraftHandle, LiveDrafts } from '../attempt/live-drafts.ts'
import { type DraftMessage, type DraftText, writeMessage } from './draft-messages.ts'
import type { RelayParts } from './send-drafts.ts'

/** How long to wait for an answer before the same draft is asked for again. */
const askAgainMs = 1_000
/** How long a draft that others did not confirm after a gap is kept. */
const confirmMs = 10_000

/**
 * Shows the text of other processes' attempts here, while anybody watches: a draft is begun only with its beginning, and
 * then grows without gaps; whoever has one asks its holder for the whole. A draft that is not heard of for longer than a
 * lease is forgotten: its holder has died.
 */
export interface DraftReceiver {
  onWatched(watched: boolean): void
  onMessage(message: DraftMessage): void
  onGap(): void
  /** Takes leave of the others. */
  close(): Promise<void>
}

export interface ReceiverParts extends RelayParts {
  liveDrafts: LiveDrafts
  leaseMs: number
}

interface Remote {
  readonly run: number
  readonly handle: LiveDraftHandle
  chars: number
  forgetMs: number
}

export function createDraftReceiver(parts: ReceiverParts): DraftReceiver {
  const { broadcast, clock, log, liveDrafts, leaseMs } = parts
  const remotes = new Map<string, Remote>()
  const askedMs = new Map<string, number>()
  let watching = false
  let disarm: (() => void) | null = null
  let saying: Promise<void> = Promise.resolve()

  const nowMs = (): number => clock.now().getTime()

  /** One after the other, so that the last word stands. */
  const say = (message: DraftMessage): void => {
    saying = saying
      .then(() => broadcast.say([writeMessage(message)]))
      .catch((error: unknown) => log.warn({ err: error }, 'other processes could not be asked for text'))
  }

  const ask = (jobId: string): void => {
    const before = askedMs.get(jobId)
    if (before !== undefined && nowMs() - before < askAgainMs) return
    askedMs.set(jobId, nowMs())
    say({ kind: 'draft-wanted', job_id: jobId })
  }

  const take = (message: DraftText): void => {
    const { job_id: jobId, run, from, text } = message
    const here = liveDrafts.get(jobId)
    if (here && (here.run > run || (here.run === run && !here.remote))) return
    let remote = remotes.get(jobId)
    if (remote && remote.run > run) return
    if (remote?.run !== run) {
      forget(jobId)
      remote = from === 0 ? begin(message) : undefined
    }
    if (!remote || from > remote.chars) {
      ask(jobId)
      return
    }
    askedMs.delete(jobId)
    remote.forgetMs = nowMs() + leaseMs
    const fresh = text.slice(remote.chars - from)
    if (fresh === '') return
    remote.chars += fresh.length
    remote.handle.append(fresh)
  }

  const begin = (message: DraftText): Remote => {
    const { job_id: jobId, prompt_id: promptId, org: orgId, owner, run, attempt } = message
    const handle = liveDrafts.begin({ jobId, promptId, orgId, owner, run, attempt, remote: true })
    const remote: Remote = { run, handle, chars: 0, forgetMs: nowMs() + leaseMs }
    remotes.set(jobId, remote)
    armForgetting()
    return remote
  }

  const end = (jobId: string, run: number): void => {
    const remote = remotes.get(jobId)
    if (!remote || remote.run <= run) forget(jobId)
  }

  const forget = (jobId: string): void => {
    remotes.get(jobId)?.handle.end()
    remotes.delete(jobId)
    askedMs.delete(jobId)
    if (remotes.size === 0) disarmNow()
  }

  const armForgetting = (): void => {
    const earliestMs = Math.min(...[...remotes.values()].map(({ forgetMs }) => forgetMs))
    if (remotes.size > 0) disarm ??= clock.at(new Date(earliestMs), forgetSilent)
  }

  const forgetSilent = (): void => {
    disarm = null
    for (const [jobId, { forgetMs }] of [...remotes]) if (forgetMs <= nowMs()) forget(jobId)
    armForgetting()
  }

  const disarmNow = (): void => {
    disarm?.()
    disarm = null
  }

  const forgetAll = (): void => {
    for (const jobId of [...remotes.keys()]) forget(jobId)
    askedMs.clear()
  }

  return {
    onWatched(watched) {
      watching = watched
      if (!watched) forgetAll()
      say(watched ? { kind: 'watching', anew: true } : { kind: 'not-watching' })
    },
    onMessage(message) {
      if (!watching) return
      if (message.kind === 'who-watches') say({ kind: 'watching', anew: false })
      else if (message.kind === 'text') take(message)
      else if (message.kind === 'ended') end(message.job_id, message.run)
    },
    onGap() {
      if (!watching) return
      for (const remote of remotes.values()) remote.forgetMs = Math.min(remote.forgetMs, nowMs() + confirmMs)
      disarmNow()
      armForgetting()
      say({ kind: 'watching', anew: true })
    },
    async close() {
      forgetAll()
      watching = false
      await saying
    },
  }
}
