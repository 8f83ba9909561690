import type { Page, Request } from '@playwright/test'
import { endpoints } from '../../shared/api.ts'
import { urlOf } from '../../shared/endpoint.ts'

export interface OpenStreams {
  /** When each began, by this process's clock. */
  begunAtMs: readonly number[]
  open(): number
}

/** Counts the event streams of a page, as the browser opens and loses them. Watches from now on. */
export function countStreams(page: Page): OpenStreams {
  const open = new Set<Request>()
  const begunAtMs: number[] = []
  const isStream = (request: Request) => new URL(request.url()).pathname === urlOf(endpoints.followEvents)
  page.on('request', (request) => {
    if (!isStream(request)) return
    begunAtMs.push(performance.now())
    open.add(request)
  })
  const ended = (request: Request) => open.delete(request)
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  return { begunAtMs, open: () => open.size }
}
