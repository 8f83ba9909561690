/** The text so far of an attempt that runs in this process. */
export interface LiveDraft {
  readonly promptId: string
  readonly jobId: string
  readonly run: number
  readonly attempt: number
  readonly orgId: string
  readonly owner: string
  text: string
  /** An estimate of the output so far: four characters a token. */
  tokens: number
}

export type LiveDraftStart = Omit<LiveDraft, 'text' | 'tokens'>

/**
 * What the attempts of this process have received so far, for streams that show it as it arrives. Nothing here is
 * durable: `DraftBuffer` stores it, the settling transaction replaces it. What a provider still says after the end of its
 * attempt is heard by nobody.
 */
export interface LiveDrafts {
  begin(start: LiveDraftStart): { append(text: string): void; end(): void }
  get(jobId: string): LiveDraft | undefined
  of(owner: { orgId: string; personId: string }): LiveDraft[]
  /** Hears of every draft that grew. @returns a function that ends the subscription. */
  subscribe(listener: (draft: LiveDraft) => void): () => void
}

export function createLiveDrafts(): LiveDrafts {
  const drafts = new Map<string, LiveDraft>()
  const listeners = new Set<(draft: LiveDraft) => void>()
  return {
    begin(start) {
      const draft: LiveDraft = { ...start, text: '', tokens: 0 }
      drafts.set(start.jobId, draft)
      return {
        append(text) {
          if (drafts.get(start.jobId) !== draft) return
          draft.text += text
          draft.tokens = Math.ceil(draft.text.length / 4)
          for (const listener of listeners) listener(draft)
        },
        end() {
          if (drafts.get(start.jobId) === draft) drafts.delete(start.jobId)
        },
      }
    },
    get: (jobId) => drafts.get(jobId),
    of: (owner) =>
      [...drafts.values()].filter((draft) => draft.orgId === owner.orgId && draft.owner === owner.personId),
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
