import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { type TestHttp, testHttp } from '../testing/test-http.ts'

let db: TestDatabase
let folder: string
let http: TestHttp
beforeAll(async () => {
  db = await testDatabase()
  folder = mkdtempSync(join(tmpdir(), 'mission-web-'))
  const webRoot = join(folder, 'web')
  mkdirSync(join(webRoot, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  writeFileSync(join(webRoot, '.env'), 'secret')
  writeFileSync(join(webRoot, 'index.html'), '<!doctype html>\n<html lang="en"><body>Field</body></html>')
  writeFileSync(join(webRoot, 'assets/app-abc123.js'), `export const text = '${'long '.repeat(1_000)}'`)
  writeFileSync(join(webRoot, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  symlinkSync(join(folder, 'secret.txt'), join(webRoot, 'link.txt'))
  http = testHttp(db.database, { webRoot })
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await db.close()
})

const html = { accept: 'text/html,application/xhtml+xml' }

describe('the page', () => {
  it('is served fresh for every address that a browser opens', async () => {
    for (const path of ['/', '/index.html', '/thread/1', '/assets/../list']) {
      const answer = await http.call(path, { headers: html })
      expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 200, 'no-store'])
      expect(await answer.text()).toContain('Field')
    }
  })

  it('carries the theme of the cookie, and nothing else that a cookie may say', async () => {
    const rendered = async (theme: string) =>
      (await http.call('/', { cookie: `mission_theme=${theme}`, headers: html })).text()
    expect(await rendered('dark')).toContain('<html data-theme="dark" lang="en">')
    expect(await rendered('light')).toContain('<html data-theme="light" lang="en">')
    expect(await rendered(encodeURIComponent('"><script>alert(1)</script>'))).toContain('<html lang="en">')
    expect(await (await http.call('/', { headers: html })).text()).toContain('<html lang="en">')
  })

  it('says how to build it when it is not there', async () => {
    for (const webRoot of [undefined, join(folder, 'nowhere')]) {
      const answer = await testHttp(db.database, { webRoot }).call('/', { headers: html })
      expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('npm run build')])
    }
  })

  it('takes no other method', async () => {
    const answer = await http.call('/', { method: 'POST', body: {} })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await http.call('/', { method: 'HEAD' })).status).toBe(200)
  })
})

describe('a file', () => {
  it('named after its content is kept for ever, another is asked for again', async () => {
    const script = await http.call('/assets/app-abc123.js')
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.get('cache-control')).toContain('immutable')
    const icon = await http.call('/icon.svg')
    expect([icon.headers.get('content-type'), icon.headers.get('cache-control')]).toEqual([
      'image/svg+xml',
      'no-cache',
    ])
  })

  it('travels compressed where the browser can', async () => {
    const script = await http.call('/assets/app-abc123.js', { headers: { 'accept-encoding': 'gzip' } })
    expect(script.headers.get('content-encoding')).toBe('gzip')
  })

  it('that is not there is a 404, not the page', async () => {
    expect((await http.call('/assets/gone.js', { headers: { accept: '*/*' } })).status).toBe(404)
    expect((await http.call('/favicon.ico')).status).toBe(404)
  })

  it.for([
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..%5csecret.txt',
    '/.env',
    '/%2eenv',
    '/assets/',
    '/assets',
    '/icon.svg%00.js',
    '//etc/passwd',
    '/%2fetc%2fpasswd',
    '/%zz',
    '/link.txt',
  ])('outside or hidden is not served: %s', async (path) => {
    const answer = await http.call(path)
    expect(answer.status).toBe(404)
    expect(await answer.text()).not.toContain('secret')
  })
})
