/** The text so far of an attempt that runs in this process, or in another one whose messages arrive here. */
export interface LiveDraft {
  readonly promptId: string
  readonly jobId: string
  readonly run: number
  readonly attempt: number
  readonly orgId: string
  readonly owner: string
  /** Whether another process holds the attempt; what is here then is what it has told so far. */
  readonly remote: boolean
  text: string
  /** An estimate of the output so far: four characters a token. */
  tokens: number
}

export type LiveDraftStart = Omit<LiveDraft, 'text' | 'tokens' | 'remote'> & { remote?: boolean }

export interface LiveDraftHandle {
  append(text: string): void
  end(): void
}

/** Who carries drafts between processes. */
export interface DraftCarrier {
  onGrowth(draft: LiveDraft): void
  onEnd(draft: LiveDraft): void
  /** Hears of the first subscriber here, and of the last one's leaving. */
  onWatched(watched: boolean): void
}

/**
 * What attempts have received so far, for streams that show it as it arrives. Nothing here is durable: `DraftBuffer`
 * stores it, the settling transaction replaces it. What a provider still says after the end of its attempt is heard by
 * nobody.
 */
export interface LiveDrafts {
  /** Of two drafts of one job the later run stays; an attempt of this process is never replaced by word of its own run. */
  begin(start: LiveDraftStart): LiveDraftHandle
  get(jobId: string): LiveDraft | undefined
  of(owner: { orgId: string; personId: string }): LiveDraft[]
  /** Hears of every draft that grew. @returns a function that ends the subscription. */
  subscribe(listener: (draft: LiveDraft) => void): () => void
  /** Once, before the first draft. */
  carriedBy(carrier: DraftCarrier): void
}

export function createLiveDrafts(): LiveDrafts {
  const drafts = new Map<string, LiveDraft>()
  const listeners = new Set<(draft: LiveDraft) => void>()
  let carrier: DraftCarrier | null = null
  return {
    begin({ remote = false, ...start }) {
      const draft: LiveDraft = { ...start, remote, text: '', tokens: 0 }
      const known = drafts.get(start.jobId)
      const isOlder = known && (known.run > draft.run || (known.run === draft.run && remote && !known.remote))
      if (!isOlder) drafts.set(start.jobId, draft)
      return {
        append(text) {
          if (drafts.get(start.jobId) !== draft) return
          draft.text += text
          draft.tokens = Math.ceil(draft.text.length / 4)
          carrier?.onGrowth(draft)
          for (const listener of listeners) listener(draft)
        },
        end() {
          if (drafts.get(start.jobId) === draft) drafts.delete(start.jobId)
          carrier?.onEnd(draft)
        },
      }
    },
    get: (jobId) => drafts.get(jobId),
    of: (owner) =>
      [...drafts.values()].filter((draft) => draft.orgId === owner.orgId && draft.owner === owner.personId),
    subscribe(listener) {
      // A new function each time: the same listener may subscribe twice and leave once.
      const entry = (draft: LiveDraft): void => listener(draft)
      listeners.add(entry)
      if (listeners.size === 1) carrier?.onWatched(true)
      return () => {
        if (listeners.delete(entry) && listeners.size === 0) carrier?.onWatched(false)
      }
    },
    carriedBy(who) {
      carrier = who
    },
  }
}
