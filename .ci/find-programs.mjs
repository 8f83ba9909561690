/** The programs that the tests need and npm does not bring: a PostgreSQL server, a pooler before it, a browser. */
import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { runBounded } from './run-bounded.mjs'

const installTimeoutMs = 10 * 60_000
const debianPostgres = '/usr/lib/postgresql'

/** The folder of `initdb` and `postgres`, installed when missing. Throws one line when there is none to be had. */
export async function ensurePostgres() {
  const found = findPostgres()
  if (found) return found
  await aptInstall('postgresql')
  const installed = findPostgres()
  if (installed) return installed
  throw new Error('No PostgreSQL server: install one so that `initdb` is on the PATH, then run again.')
}

/** Has PgBouncer there, installed when missing; a test finds it by itself. Throws one line when there is none to be had. */
export async function ensurePooler() {
  if (hasPooler()) return
  await aptInstall('pgbouncer')
  if (!hasPooler()) throw new Error('No PgBouncer: install one so that it is on the PATH, then run again.')
}

/** The path of a Chromium, installed when missing. Throws one line when there is none to be had. */
export async function ensureBrowser() {
  const found = await findBrowser()
  if (found) return found
  await aptInstall('chromium')
  if (!(await findBrowser())) {
    await runBounded('npx', ['playwright', 'install', 'chromium'], { timeoutMs: installTimeoutMs })
  }
  const installed = await findBrowser()
  if (installed) return installed
  throw new Error('No Chromium: install one, or name it in MISSION_CHROMIUM, then run again.')
}

function findPostgres() {
  const folders = [...(process.env.PATH ?? '').split(delimiter)]
  try {
    const versions = readdirSync(debianPostgres).sort((a, b) => Number(b) - Number(a))
    folders.unshift(...versions.map((version) => join(debianPostgres, version, 'bin')))
  } catch {
    // not Debian: the PATH alone
  }
  return folders.find((folder) => isProgram(join(folder, 'initdb')) && isProgram(join(folder, 'postgres')))
}

function hasPooler() {
  const folders = ['/usr/sbin', ...(process.env.PATH ?? '').split(delimiter)]
  return folders.some((folder) => isProgram(join(folder, 'pgbouncer')))
}

async function findBrowser() {
  const named = process.env.MISSION_CHROMIUM
  if (named) return named
  const { chromium } = await import('@playwright/test')
  const candidates = [chromium.executablePath()]
  for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) candidates.push(join(folder, name))
  }
  return candidates.find((path) => path && isProgram(path))
}

/** Nothing happens where there is no apt or no right to use it: the caller looks again and says what is missing. */
async function aptInstall(name) {
  if (process.getuid?.() !== 0 || !isProgram('/usr/bin/apt-get')) return
  const options = { timeoutMs: installTimeoutMs, env: { DEBIAN_FRONTEND: 'noninteractive' } }
  process.stdout.write(`Installing ${name} …\n`)
  await runBounded('apt-get', ['update', '-qq'], options)
  await runBounded('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], options)
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
