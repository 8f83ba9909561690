/**
 * Makes a fresh clone runnable: packages as the lockfile says, `dist/` as the sources say.
 * Plain Node with no dependency, because it runs before there is a `node_modules`.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const oldestNode = [20, 19]
const buildStamp = join(root, 'dist', '.built-from')

/** One plain line when this Node is too old to run us, else null. */
export function nodeComplaint(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [needMajor, needMinor] = oldestNode
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return null
  return `Mission Field needs Node ${needMajor}.${needMinor} or newer; this is ${version}.`
}

/** Runs `npm ci` unless `node_modules` already holds what the lockfile lists. Throws with npm's words. */
export async function ensurePackages(say) {
  if (packagesAreCurrent()) return
  say('Installing packages (once, usually under a minute) …')
  // A build needs the development packages, whatever NODE_ENV says.
  await runQuietly(...npm('ci', '--include=dev', '--loglevel=error'))
}

/** Runs `npm run build` unless `dist/` was built from exactly these sources. Throws with the build's words. */
export async function ensureBuild(say) {
  const now = sourcesDigest()
  if (existsSync(buildStamp) && readFileSync(buildStamp, 'utf8') === now) return
  say('Building …')
  await build()
}

/**
 * Builds from nothing and remembers what it was built from, so that the next start need not build again.
 * `run(command, args)` has to throw when the build failed.
 */
export async function build(run = runQuietly) {
  const now = sourcesDigest()
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  await run(...npm('run', 'build'))
  writeFileSync(buildStamp, now)
}

/** Program and arguments for the npm that runs us, so that a second npm on the PATH never mixes in. */
export function npm(...args) {
  const ours = process.env.npm_execpath
  if (ours && /^npm(-cli)?\.c?js$/.test(basename(ours))) return [process.execPath, [ours, ...args]]
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm', args]
}

/**
 * npm writes `node_modules/.package-lock.json` last, so it names what is really there; file times would
 * call every checkout stale. Optional packages may be missing: they belong to other platforms.
 */
function packagesAreCurrent() {
  const wanted = lockedPackages(join(root, 'package-lock.json'))
  const present = lockedPackages(join(root, 'node_modules', '.package-lock.json'))
  if (!wanted || !present) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.link) return true
    const found = present[path]
    if (!found) return Boolean(entry.optional || entry.devOptional || entry.peer)
    return found.version === entry.version && found.integrity === entry.integrity
  })
}

function lockedPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? null
  } catch {
    return null // missing or cut short: the same as not installed
  }
}

function sourcesDigest() {
  const hash = createHash('sha256')
  const files = ['package.json', 'package-lock.json', 'tsconfig.json']
  for (const folder of ['shared', 'bff', 'web', 'public']) files.push(...filesUnder(folder))
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0')
  return hash.digest('hex')
}

function filesUnder(folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return filesUnder(path)
      return entry.isFile() && !/\.test\.tsx?$/.test(path) ? [path] : []
    })
}

/** Shows the child's output only when it fails. Ctrl-C reaches the child too, so it never outlives us. */
function runQuietly(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const output = []
    const stop = (signal) => child.kill(signal)
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop)
    const settled = () => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, stop)
    }
    child.on('error', (error) => {
      settled()
      reject(error)
    })
    child.on('close', (code, signal) => {
      settled()
      if (code === 0) return resolve()
      const what = [basename(command), ...args].join(' ').replace(/^node \S+/, 'npm')
      const ended = signal ? `was ended by ${signal}` : `failed with code ${code}`
      reject(new Error(`${Buffer.concat(output).toString().trim()}\n${what} ${ended}.`))
    })
  })
}
