/**
 * `npm start`: from a fresh clone to the running product. Installs and builds only what is missing or stale,
 * then hands the terminal to `mission serve`; what follows `--` is passed on to it. Progress goes to stderr,
 * so that stdout belongs to the server.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { ensureBuild, ensurePackages, nodeComplaint, root } from '../.ci/prepare.mjs'

const say = (line) => process.stderr.write(`${line}\n`)

const complaint = nodeComplaint()
if (complaint) {
  say(complaint)
  process.exit(1)
}

try {
  await ensurePackages(say)
  await ensureBuild(say)
} catch (error) {
  say(error.message)
  process.exit(1)
}

const server = spawn(
  process.execPath,
  [join(root, 'dist/bff/cli/main.js'), 'serve', ...process.argv.slice(2)],
  // Relative paths of the person's settings are meant from where they typed the command.
  { cwd: root, stdio: 'inherit', env: { ...process.env, INIT_CWD: process.env.INIT_CWD ?? process.cwd() } },
)

const forwarded = new Set()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => forward(signal))

// An npm that is killed outright tells us nothing, and a server nobody knows of would keep the data directory.
const npmPid = process.env.npm_lifecycle_event ? process.ppid : null
if (npmPid !== null) setInterval(() => process.ppid !== npmPid && forward('SIGTERM'), 500).unref()

server.on('error', (error) => {
  say(`The server could not be started: ${error.message}`)
  process.exit(1)
})
server.on('exit', (code, signal) => {
  process.exit(signal ? 128 + (constants.signals[signal] ?? 0) : (code ?? 1))
})

/**
 * A terminal sends Ctrl-C to every process of the group and npm sends it once more, so the server already has
 * its own; one more could be read as "now, at once". Every other signal comes to us alone and is passed on once.
 */
function forward(signal) {
  if (signal === 'SIGINT' && process.stdin.isTTY) return
  if (forwarded.has(signal)) return
  forwarded.add(signal)
  server.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
}
