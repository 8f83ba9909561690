import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { HttpContext } from './http-parts.ts'

const name = 'mission_session'
const daysMax = 30
const tokenCharsMax = 200

/** The session's token as the browser sent it, or null. */
export function readSessionCookie(context: HttpContext): string | null {
  const token = getCookie(context, name)
  return token === undefined || token === '' || token.length > tokenCharsMax ? null : token
}

/** Strict: no other site can make this browser act in our name, not even by a link. */
export function writeSessionCookie(context: HttpContext, token: string, secure: boolean): void {
  setCookie(context, name, token, {
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
    maxAge: daysMax * 24 * 60 * 60,
    secure,
  })
}

export function dropSessionCookie(context: HttpContext, secure: boolean): void {
  deleteCookie(context, name, { path: '/', httpOnly: true, sameSite: 'Strict', secure })
}
