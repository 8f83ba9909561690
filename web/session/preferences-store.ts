import * as z from 'zod/mini'
import { create } from 'zustand'

const storageKey = 'mission_preferences'
const preferencesShape = z.object({ debug: z.boolean(), singleKeys: z.boolean() })

/** `debug` shows what is normally of no use, such as replaced jobs; `singleKeys` lets C, J, K and the like act. */
export type Preferences = z.infer<typeof preferencesShape>

export interface PreferencesStore extends Preferences {
  setDebug(debug: boolean): void
  setSingleKeys(singleKeys: boolean): void
  /** What the server keeps for this person, as long as nothing was chosen in this browser. */
  adopt(preferences: Partial<Preferences>): void
}

export const startPreferences: Preferences = { debug: false, singleKeys: true }

export const usePreferences = create<PreferencesStore & { isChosen: boolean }>()((set) => ({
  ...startPreferences,
  isChosen: false,
  setDebug: (debug) => set({ debug, isChosen: true }),
  setSingleKeys: (singleKeys) => set({ singleKeys, isChosen: true }),
  adopt: (preferences) => set(({ isChosen }) => (isChosen ? {} : preferences)),
}))

/** Takes over what this browser keeps, and keeps what is chosen from then on. @returns the way to stop */
export function bindPreferences(storage: Pick<Storage, 'getItem' | 'setItem'> | undefined): () => void {
  const kept = readKept(storage)
  if (kept !== undefined) usePreferences.setState({ ...kept, isChosen: true })
  return usePreferences.subscribe(({ debug, singleKeys, isChosen }) => {
    if (!isChosen) return
    try {
      storage?.setItem(storageKey, JSON.stringify({ debug, singleKeys }))
    } catch {
      // Kept for as long as the page lives, then.
    }
  })
}

function readKept(storage: Pick<Storage, 'getItem'> | undefined): Preferences | undefined {
  try {
    return z.safeParse(preferencesShape, JSON.parse(storage?.getItem(storageKey) ?? 'null')).data
  } catch {
    return undefined
  }
}
