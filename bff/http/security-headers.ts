import type { MiddlewareHandler } from 'hono'
import type { HttpEnv } from './http-parts.ts'

const pagePolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')
const dataPolicy = "default-src 'none'; frame-ancestors 'none'"

/** On every answer, refusals included. What says nothing about caching is not to be kept. */
export const securityHeaders: MiddlewareHandler<HttpEnv> = async (context, next) => {
  await next()
  const { headers } = context.res
  const isPage = headers.get('content-type')?.startsWith('text/html') ?? false
  headers.set('Content-Security-Policy', isPage ? pagePolicy : dataPolicy)
  headers.set('X-Content-Type-Options', 'nosniff')
  headers.set('Referrer-Policy', 'no-referrer')
  headers.set('Cross-Origin-Opener-Policy', 'same-origin')
  headers.set('Cross-Origin-Resource-Policy', 'same-origin')
  if (!headers.has('cache-control')) headers.set('Cache-Control', 'no-store')
}
