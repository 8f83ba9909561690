import { create } from 'zustand'

const storageKey = 'mission_unfolded'
const keptMax = 300

export interface FoldStore {
  /** What a person unfolded, newest last. */
  readonly unfolded: ReadonlySet<string>
  set(key: string, isUnfolded: boolean): void
}

/** What is unfolded stays so in this browser, for the last few hundred texts. */
export const useFolds = create<FoldStore>()((set) => ({
  unfolded: new Set(readKept()),
  set: (key, isUnfolded) =>
    set(({ unfolded }) => {
      const next = new Set(unfolded)
      next.delete(key)
      if (isUnfolded) next.add(key)
      const kept = [...next].slice(-keptMax)
      keep(kept)
      return { unfolded: new Set(kept) }
    }),
}))

function readKept(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(kept) ? kept.filter((key) => typeof key === 'string') : []
  } catch {
    return []
  }
}

function keep(keys: readonly string[]): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(keys))
  } catch {
    // Remembered for as long as the page lives, then.
  }
}
