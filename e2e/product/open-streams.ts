import type { Page, Request } from '@playwright/test'
import { endpoints } from '../../shared/api.ts'
import { urlOf } from '../../shared/endpoint.ts'

/** Counts the event streams of a page, as the browser opens and loses them. Watches from now on. */
export function countStreams(page: Page): { begun(): number; open(): number } {
  const open = new Set<Request>()
  let begun = 0
  const isStream = (request: Request) => new URL(request.url()).pathname === urlOf(endpoints.followEvents)
  page.on('request', (request) => {
    if (!isStream(request)) return
    begun += 1
    open.add(request)
  })
  const ended = (request: Request) => open.delete(request)
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  return { begun: () => begun, open: () => open.size }
}
