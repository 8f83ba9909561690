/**
 * `npm run dev`: the API server restarted on every change of `bff/` and `shared/`, and Vite with hot reload in
 * front of it (its proxy is in `web/vite.config.ts`). The two end together: half a product only confuses.
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ensurePackages, nodeComplaint, root } from '../.ci/prepare.mjs'

const graceMs = 12_000 // longer than the server's own drain, MISSION_DRAIN_MS
const serverUrl = `http://127.0.0.1:${process.env.MISSION_PORT || 7410}`
const say = (line) => process.stderr.write(`${line}\n`)

const complaint = nodeComplaint()
if (complaint) {
  say(complaint)
  process.exit(1)
}

try {
  await ensurePackages(say)
} catch (error) {
  say(error.message)
  process.exit(1)
}

const modules = join(root, 'node_modules')
const children = [
  start('server', [
    join(modules, 'tsx/dist/cli.mjs'),
    'watch',
    '--clear-screen=false',
    'bff/cli/main.ts',
    'serve',
  ]),
  start('page', [
    join(modules, 'vite/bin/vite.js'),
    '--config',
    'web/vite.config.ts',
    '--clearScreen',
    'false',
  ]),
]
say(`Sign in with the server's link once it is there, then use the address that Vite prints.`)
let endCode = null // null while both halves should be running
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => endAll(0))

function start(name, args) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    // tsx restarts on Enter when it owns the keyboard; nobody expects that of a background half.
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, INIT_CWD: process.env.INIT_CWD ?? process.cwd(), MISSION_DEV_SERVER: serverUrl },
  })
  child.on('exit', (code) => {
    if (endCode === null) say(`The ${name} ended (${code ?? 'by a signal'}); ending the other half.`)
    endAll(code ?? 1)
  })
  return child
}

/** Each half is told once: tsx takes a second signal as "now, at once". */
function endAll(code) {
  const first = endCode === null
  endCode ??= code
  const alive = children.filter((child) => child.exitCode === null && child.signalCode === null)
  if (alive.length === 0) process.exit(endCode)
  if (!first) return
  for (const child of alive) child.kill('SIGTERM')
  setTimeout(() => {
    for (const child of alive) child.kill('SIGKILL')
  }, graceMs).unref()
}
