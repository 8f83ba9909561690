import { create } from 'zustand'

/** Something to be said once, beside what the person is doing. */
export interface Notice {
  readonly id: number
  readonly text: string
  readonly tone: 'plain' | 'trouble'
  /** One thing to do about it. */
  readonly action: { readonly label: string; readonly run: () => void } | undefined
}

export interface NoticeStore {
  /** Oldest first. */
  readonly notices: readonly Notice[]
  /** A notice in the same words is not said twice: it moves to the end. @returns its id, to dismiss it */
  say(text: string, more?: { tone?: Notice['tone']; action?: Notice['action'] }): number
  dismiss(id: number): void
}

const noticesMax = 5

export const useNotices = create<NoticeStore>()((set) => {
  let lastId = 0
  return {
    notices: [],
    say(text, { tone = 'plain', action } = {}) {
      const notice: Notice = { id: ++lastId, text, tone, action }
      set(({ notices }) => ({
        notices: [...notices.filter((other) => other.text !== text), notice].slice(-noticesMax),
      }))
      return notice.id
    },
    dismiss: (id) => set(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) })),
  }
})
