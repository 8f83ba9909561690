/**
 * One child process, bounded in time, in a process group of its own: at its deadline, or when this run is
 * interrupted, the whole group ends, so that no server or browser of a test outlives the run.
 */
import { spawn } from 'node:child_process'
import { root } from './prepare.mjs'

const graceMs = 5_000
/** Each child with the signal that ends it when we are interrupted: a service gets to end what it started. */
const running = new Map()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    for (const [child, last] of running) endGroup(child, last)
    process.exit(130)
  })
}

/**
 * Runs to the end, output going where ours goes.
 * Resolves to `{ code, timedOut }`; `code` is null when it could not be started or was ended by a signal.
 */
export function runBounded(command, args, { timeoutMs, env = {} }) {
  return new Promise((resolve) => {
    const child = spawnGroup(command, args, { env, stdio: ['ignore', 'inherit', 'inherit'] }, 'SIGKILL')
    let timedOut = false
    const deadline = setTimeout(() => {
      timedOut = true
      endGroup(child, 'SIGTERM')
      setTimeout(() => endGroup(child, 'SIGKILL'), graceMs).unref()
    }, timeoutMs)
    const settle = (code) => {
      clearTimeout(deadline)
      endGroup(child, 'SIGKILL') // what a finished step left behind
      running.delete(child)
      resolve({ code, timedOut })
    }
    child.on('error', (error) => {
      process.stdout.write(`${command}: ${error.message}\n`)
      settle(null)
    })
    child.on('exit', (code) => settle(code))
  })
}

/**
 * Starts a service and waits for the first line of its stdout. Its stdin is a pipe that closes when we are gone,
 * however that came about.
 * Resolves to `{ line, stop }`; rejects when it ends, or stays silent, first.
 */
export function startBounded(command, args, { timeoutMs, env = {} }) {
  return new Promise((resolve, reject) => {
    const child = spawnGroup(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] }, 'SIGTERM')
    const ended = new Promise((done) => child.on('exit', done))
    let text = ''
    let ready = false
    const giveUp = (reason) => {
      if (ready) return
      clearTimeout(deadline)
      endGroup(child, 'SIGKILL')
      running.delete(child)
      reject(new Error(`${args.at(-1)} ${reason}`))
    }
    const deadline = setTimeout(() => giveUp(`printed nothing within ${timeoutMs} ms`), timeoutMs)
    child.on('error', (error) => giveUp(error.message))
    child.on('exit', () => giveUp('ended before it was ready'))
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (ready || !text.includes('\n')) return
      ready = true
      clearTimeout(deadline)
      resolve({ line: text.slice(0, text.indexOf('\n')), stop: () => stopGroup(child, ended) })
    })
  })
}

function spawnGroup(command, args, options, lastSignal) {
  const child = spawn(command, args, {
    cwd: root,
    detached: true,
    ...options,
    env: { ...process.env, ...options.env },
  })
  running.set(child, lastSignal)
  return child
}

async function stopGroup(child, ended) {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM') // the child alone: it ends its own children in its own order
    const deadline = setTimeout(() => endGroup(child, 'SIGKILL'), 2 * graceMs)
    await ended
    clearTimeout(deadline)
  }
  running.delete(child)
}

function endGroup(child, signal) {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // the group is gone already
  }
}
