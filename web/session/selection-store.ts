import { create } from 'zustand'

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** Where the keyboard stands; null: nowhere yet. */
  readonly focusedId: string | null
  /** Where a range begins. */
  readonly anchorId: string | null
}

export interface SelectionStore extends Selection {
  /** The keyboard moves; what is selected stays. */
  focus(promptId: string | null): void
  /** This one alone. */
  select(promptId: string): void
  /** In or out, beside the others. */
  toggle(promptId: string): void
  /** From the anchor to this one, in the order in which they stand; this one alone if there is no anchor. */
  extendTo(promptId: string, order: readonly string[]): void
  /** Exactly these, such as what a frame was drawn around. */
  selectAll(promptIds: Iterable<string>): void
  clear(): void
  /** Prompts that are no more can be neither selected nor focused. */
  keepOnly(exists: (promptId: string) => boolean): void
}

const none: ReadonlySet<string> = new Set()

export const useSelection = create<SelectionStore>()((set) => ({
  ids: none,
  focusedId: null,
  anchorId: null,
  focus: (focusedId) => set({ focusedId }),
  select: (id) => set({ ids: new Set([id]), focusedId: id, anchorId: id }),
  toggle: (id) =>
    set(({ ids }) => {
      const next = new Set(ids)
      if (!next.delete(id)) next.add(id)
      return { ids: next, focusedId: id, anchorId: id }
    }),
  extendTo: (id, order) =>
    set(({ anchorId }) => {
      const from = anchorId === null ? -1 : order.indexOf(anchorId)
      const to = order.indexOf(id)
      if (from < 0 || to < 0) return { ids: new Set([id]), focusedId: id, anchorId: id }
      return { ids: new Set(order.slice(Math.min(from, to), Math.max(from, to) + 1)), focusedId: id }
    }),
  selectAll: (ids) => set({ ids: new Set(ids) }),
  clear: () => set({ ids: none, anchorId: null }),
  keepOnly: (exists) =>
    set(({ ids, focusedId, anchorId }) => {
      const kept = [...ids].filter(exists)
      return {
        ids: kept.length === ids.size ? ids : new Set(kept),
        focusedId: focusedId !== null && exists(focusedId) ? focusedId : null,
        anchorId: anchorId !== null && exists(anchorId) ? anchorId : null,
      }
    }),
}))
