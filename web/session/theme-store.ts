import { create } from 'zustand'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const cookieName = 'mission_theme'
const yearSeconds = 365 * 24 * 60 * 60

export interface ThemeStore {
  readonly theme: Theme
  choose(theme: Theme): void
}

/**
 * Light, dark, or as the system has it. Kept in a cookie, so that the server can write it into the page before
 * anything is drawn; `data-theme` on the root is what the styles go by, absent for *system*.
 */
export const useTheme = create<ThemeStore>()((set) => ({
  theme: 'system',
  choose: (theme) => set({ theme }),
}))

/** Takes over the cookie's choice, and from then on keeps page and cookie as chosen. @returns the way to stop */
export function bindTheme(document: Document): () => void {
  const show = (theme: Theme) => {
    if (theme === 'system') document.documentElement.removeAttribute('data-theme')
    else document.documentElement.setAttribute('data-theme', theme)
  }
  const kept = themeOfCookie(document.cookie)
  useTheme.getState().choose(kept)
  show(kept)
  return useTheme.subscribe(({ theme }) => {
    show(theme)
    const age = theme === 'system' ? 0 : yearSeconds
    document.cookie = `${cookieName}=${theme}; Path=/; Max-Age=${age}; SameSite=Lax`
  })
}

export function themeOfCookie(cookie: string): Theme {
  const value = cookie
    .split('; ')
    .find((part) => part.startsWith(`${cookieName}=`))
    ?.slice(cookieName.length + 1)
  return themes.find((theme) => theme === value) ?? 'system'
}
