import { create } from 'zustand'

/** What a person wants to delete; asked once more before it happens. */
export type DeletionAsk = { readonly kind: 'prompt' | 'thread'; readonly id: string }

export interface DeletionStore {
  readonly ask: DeletionAsk | null
  askFor(ask: DeletionAsk): void
  close(): void
}

export const useDeletion = create<DeletionStore>()((set) => ({
  ask: null,
  askFor: (ask) => set({ ask }),
  close: () => set({ ask: null }),
}))
