import type { BrowserContext } from '@playwright/test'
import type { MissionApi } from './mission-api.ts'

/** Signs a browser context in with the session of a script, so that one link serves both. */
export async function shareSession(context: BrowserContext, { url, cookie }: MissionApi): Promise<void> {
  const split = cookie.indexOf('=')
  await context.addCookies([{ name: cookie.slice(0, split), value: cookie.slice(split + 1), url }])
}
