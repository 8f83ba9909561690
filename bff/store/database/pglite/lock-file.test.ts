import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test as plainTest } from 'vitest'
import { LockHeldError, takeLock } from './lock-file.ts'
import { ownIdentity } from './process-identity.ts'

function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'mission-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const directory = join(folder, 'data')
  const write = (change: Record<string, unknown>): void => {
    const content = {
      ...ownIdentity(),
      nonce: '00000000-0000-4000-8000-000000000001',
      purpose: 'serves',
      started_at: '2026-01-01T00:00:00.000Z',
      ...change,
    }
    writeFileSync(`${directory}.lock`, JSON.stringify(content))
  }
  return { folder, directory, lock: `${directory}.lock`, write }
}

interface Holder {
  child: ChildProcessWithoutNullStreams
  /** Asks it to take the lock; resolves to what it says. */
  take(): Promise<{ taken: boolean; message?: string }>
}

const program = fileURLToPath(new URL('../../testing/lock-holder.ts', import.meta.url))
const nodeArgs = ['--import', 'tsx', program]

async function startHolder(directory: string, command = process.execPath, args = nodeArgs): Promise<Holder> {
  const child = spawn(command, [...args, directory], { stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ready = await lines.next()
  if (ready.value !== 'ready') throw new Error(`the lock holder said ${ready.value}`)
  return {
    child,
    async take() {
      child.stdin.write('take\n')
      return JSON.parse((await lines.next()).value ?? '{}')
    },
  }
}

const test = (name: string, body: () => Promise<void> | void) => plainTest(name, { timeout: 30_000 }, body)
/** Zombies and start times are read from `/proc`. */
const linuxTest = existsSync('/proc/self/stat') ? test : plainTest.skip

test('a lock is private, says who holds it, and is gone after its release', () => {
  const { folder, directory, lock } = setup()
  const taken = takeLock(directory, 'serves on port 7410')
  expect(statSync(lock).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({
    pid: process.pid,
    purpose: 'serves on port 7410',
  })
  const refused = (): unknown => takeLock(directory, 'backs up')
  expect(refused).toThrow(LockHeldError)
  expect(refused).toThrow(
    new RegExp(
      `^The data directory ${directory} is in use by process ${process.pid} since .* \\(serves on port 7410\\)\\.$`,
    ),
  )
  taken.release()
  taken.release()
  expect(readdirSync(folder)).toEqual([])
  takeLock(directory, 'serves').release()
})

test('another process is refused while the holder lives, and takes over when it was killed', async () => {
  const { folder, directory } = setup()
  const first = await startHolder(directory)
  expect(await first.take()).toEqual({ taken: true })
  expect(() => takeLock(directory, 'serves')).toThrow(`process ${first.child.pid} since`)
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  const lock = takeLock(directory, 'serves')
  expect(readdirSync(folder)).toEqual(['data.lock'])
  lock.release()
})

linuxTest('a zombie holds nothing', async () => {
  const { directory } = setup()
  // The shell becomes `sleep`, which never asks for its child's exit status; descriptor 3 keeps the input reachable.
  const script = 'exec 3<&0; "$0" "$@" <&3 & exec sleep 60'
  const parent = await startHolder(directory, 'sh', ['-c', script, process.execPath, ...nodeArgs])
  expect(await parent.take()).toEqual({ taken: true })
  const { pid } = JSON.parse(readFileSync(`${directory}.lock`, 'utf8'))
  expect(pid).not.toBe(parent.child.pid)
  process.kill(pid, 'SIGKILL')
  while (!readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) await wait(5)
  takeLock(directory, 'serves').release()
})

test('of many who find a dead lock at once, exactly one takes it over', async () => {
  const { folder, directory, write } = setup()
  write({ pid: 2 ** 22 + 1 })
  const holders = await Promise.all(Array.from({ length: 4 }, () => startHolder(directory)))
  const answers = await Promise.all(holders.map((holder) => holder.take()))
  expect(answers.filter((answer) => answer.taken)).toHaveLength(1)
  for (const answer of answers) if (!answer.taken) expect(answer.message).toMatch(/is in use by process/)
  expect(readdirSync(folder)).toEqual(['data.lock'])
})

linuxTest('a pid that is in use again, or was given out before the machine restarted, holds nothing', () => {
  const { directory, write } = setup()
  write({ pid: process.ppid, start_ticks: '1' })
  takeLock(directory, 'serves').release()
  write({ boot: 'another boot' })
  takeLock(directory, 'serves').release()
})

test('a takeover that died half way is finished by the next one', () => {
  const { folder, directory, lock, write } = setup()
  write({ pid: 2 ** 22 + 1 })
  const dead = JSON.parse(readFileSync(lock, 'utf8'))
  const next = { ...dead, pid: 2 ** 22 + 2, nonce: '00000000-0000-4000-8000-000000000002' }
  writeFileSync(`${lock}.${dead.nonce}`, JSON.stringify(next))
  const taken = takeLock(directory, 'serves')
  expect(readdirSync(folder)).toEqual(['data.lock'])
  taken.release()

  write({ pid: 2 ** 22 + 1 })
  writeFileSync(`${lock}.${dead.nonce}`, JSON.stringify({ ...next, ...ownIdentity() }))
  expect(() => takeLock(directory, 'serves')).toThrow(LockHeldError)
})

test('a lock from another machine, or one that cannot be read, is never taken over', () => {
  const { directory, lock, write } = setup()
  write({ host: `not-${hostname()}`, pid: 2 ** 22 + 1 })
  expect(() => takeLock(directory, 'serves')).toThrow(`not-${hostname()}`)
  writeFileSync(lock, '')
  expect(() => takeLock(directory, 'serves')).toThrow(/cannot be read/)
  expect(existsSync(lock)).toBe(true)
})

test('a release leaves the lock of a later holder alone', () => {
  const { directory, lock, write } = setup()
  const taken = takeLock(directory, 'serves')
  write({ purpose: 'is somebody else' })
  taken.release()
  expect(existsSync(lock)).toBe(true)
})
