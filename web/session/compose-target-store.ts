import { create } from 'zustand'

/** What the compose box does when it sends, and how others ask it for something. */
export interface ComposeTargetStore {
  /** The prompt that the next one continues; null: the next one begins a thread. */
  readonly parentId: string | null
  /** Rises whenever the box is to take the focus. */
  readonly focusTurn: number
  /** Something is written in the box: it is not to be turned elsewhere by the way. */
  readonly hasText: boolean
  /** *Continue*: the box goes on from exactly this prompt, and takes the focus. */
  continueFrom(promptId: string): void
  /** *New thread*: the box begins one, and takes the focus. */
  startThread(): void
  /** What is open or selected changed: goes along quietly, wherever the focus is. */
  follow(promptId: string | null): void
  /** Only the focus, as the key C asks for it. */
  focusBox(): void
  noteText(hasText: boolean): void
}

export const useComposeTarget = create<ComposeTargetStore>()((set) => ({
  parentId: null,
  focusTurn: 0,
  hasText: false,
  continueFrom: (parentId) => set(({ focusTurn }) => ({ parentId, focusTurn: focusTurn + 1 })),
  startThread: () => set(({ focusTurn }) => ({ parentId: null, focusTurn: focusTurn + 1 })),
  follow: (parentId) => set({ parentId }),
  focusBox: () => set(({ focusTurn }) => ({ focusTurn: focusTurn + 1 })),
  noteText: (hasText) => set({ hasText }),
}))
