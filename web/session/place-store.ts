import { create } from 'zustand'

export type ViewMode = 'field' | 'list'
export type PanelKind = 'thread' | 'trace'

/** Where the person is: what an address can say, and a reload restores. */
export interface Place {
  readonly view: ViewMode
  /** The prompt that is open; null: none. */
  readonly promptId: string | null
  /** How it is open. */
  readonly panel: PanelKind
}

export interface PlaceStore extends Place {
  open(promptId: string, panel?: PanelKind): void
  close(): void
  show(view: ViewMode): void
  toggleView(): void
  /** Takes over what an address says. */
  goTo(place: Place): void
}

export const startPlace: Place = { view: 'field', promptId: null, panel: 'thread' }

export const usePlace = create<PlaceStore>()((set) => ({
  ...startPlace,
  open: (promptId, panel = 'thread') => set({ promptId, panel }),
  close: () => set({ promptId: null, panel: 'thread' }),
  show: (view) => set({ view }),
  toggleView: () => set(({ view }) => ({ view: view === 'field' ? 'list' : 'field' })),
  goTo: ({ view, promptId, panel }) => set({ view, promptId, panel }),
}))
