import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, resolve, sep } from 'node:path'
import { getCookie } from 'hono/cookie'
import { DomainError } from '../../domain/errors.ts'
import type { HttpContext } from '../http-parts.ts'
import { methodNotAllowed } from '../route.ts'
import { plainPage } from './plain-page.ts'

/**
 * The built page and its files. Vite names what is in `assets` after its content, so that it never changes; every
 * address without a file is the page itself, as far as a browser asks for a page.
 *
 * @throws DomainError `not_found`, `method_not_allowed`.
 */
export async function webFile(context: HttpContext, webRoot: string | undefined): Promise<Response> {
  if (!['GET', 'HEAD'].includes(context.req.method)) methodNotAllowed(context.req.method, ['GET', 'HEAD'])
  const path = decodedPath(context.req.url)
  if (webRoot === undefined) return isPage(context, path) ? unbuiltPage() : nothingHere()
  const file = path === '/' || path === '/index.html' ? null : await readInside(webRoot, path)
  if (file !== null) return fileResponse(path, file)
  return isPage(context, path) ? indexPage(context, webRoot) : nothingHere()
}

function decodedPath(url: string): string {
  try {
    return decodeURIComponent(new URL(url).pathname)
  } catch {
    return nothingHere()
  }
}

function isPage(context: HttpContext, path: string): boolean {
  return path === '/' || /text\/html/i.test(context.req.header('accept') ?? '')
}

function nothingHere(): never {
  throw new DomainError('not_found', 'There is nothing at this address.')
}

/** The file at `path` inside `root`; null where there is none, and for whatever would lead outside or is hidden. */
async function readInside(root: string, path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  if (/\0|\\|\/\./.test(path)) return null
  try {
    const folder = await realpath(root)
    const file = await realpath(resolve(folder, `.${path}`))
    if (!file.startsWith(folder + sep) || !(await stat(file)).isFile()) return null
    return new Uint8Array(await readFile(file))
  } catch {
    return null
  }
}

function fileResponse(path: string, bytes: Uint8Array<ArrayBuffer>): Response {
  return new Response(bytes, {
    headers: {
      'Content-Type': mediaTypes[extname(path).toLowerCase()] ?? 'application/octet-stream',
      'Cache-Control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    },
  })
}

/** The theme is rendered here, since the page may run no inline script and would flash otherwise. */
async function indexPage(context: HttpContext, webRoot: string): Promise<Response> {
  const bytes = await readInside(webRoot, '/index.html')
  if (bytes === null) return unbuiltPage()
  const html = new TextDecoder().decode(bytes)
  const theme = getCookie(context, 'mission_theme')
  const themed =
    theme === 'light' || theme === 'dark' ? html.replace(/<html\b/, `<html data-theme="${theme}"`) : html
  return new Response(themed, {
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
  })
}

function unbuiltPage(): Response {
  return plainPage(503, 'The page has not been built yet', [
    'The server runs, but the files of its page are missing.',
    'In the folder of the source, run: npm run build',
    'Then load this page again.',
  ])
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
