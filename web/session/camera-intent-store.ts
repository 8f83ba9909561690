import { create } from 'zustand'

/** What the camera is asked to do by those who do not hold it. `turn` makes two like wishes two. */
export type CameraIntent = { readonly turn: number } & (
  | { readonly kind: 'reveal' | 'centre'; readonly promptId: string }
  | { readonly kind: 'fit' | 'now' }
)

export interface CameraIntentStore {
  readonly intent: CameraIntent | null
  /** Brings it into view if it is not; nothing moves otherwise. */
  reveal(promptId: string): void
  centre(promptId: string): void
  /** Everything, or what is selected. */
  fit(): void
  /** To the present end of the field. */
  goToNow(): void
}

export const useCameraIntent = create<CameraIntentStore>()((set) => {
  let turn = 0
  return {
    intent: null,
    reveal: (promptId) => set({ intent: { kind: 'reveal', promptId, turn: ++turn } }),
    centre: (promptId) => set({ intent: { kind: 'centre', promptId, turn: ++turn } }),
    fit: () => set({ intent: { kind: 'fit', turn: ++turn } }),
    goToNow: () => set({ intent: { kind: 'now', turn: ++turn } }),
  }
})
