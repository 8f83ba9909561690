import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import * as z from 'zod/mini'
import { DomainError } from '../../../domain/errors.ts'
import { isAlive, ownIdentity } from './process-identity.ts'

/** The data directory is in use; the message is one plain line that says by whom. */
export class LockHeldError extends DomainError {
  constructor(message: string) {
    super('data_dir_locked', message)
    this.name = 'LockHeldError'
  }
}

export interface LockFile {
  readonly path: string
  /** Removes the lock if it is still ours; further calls do nothing. */
  release(): void
}

/**
 * Takes the lock `<directory>.lock` beside a data directory, which only one process may open: PGlite itself opens
 * one twice without an error, and loses acknowledged rows.
 *
 * The lock appears whole, by linking a finished file to its name, which only one taker can do. A lock of a process
 * that is dead is followed by `<lock>.<its nonce>`, which again only one taker can link; that one then puts its own
 * in the lock's place. A taker that judged by a lock which is no longer there finds out by looking again, and starts
 * over. So nobody ever removes a lock that somebody else has just taken.
 *
 * @param purpose what this process does, as people would say it: `serves`, `runs mission backup`.
 * @throws LockHeldError
 */
export function takeLock(directory: string, purpose: string): LockFile {
  const path = `${directory}.lock`
  const own: LockContent = {
    ...ownIdentity(),
    nonce: randomUUID(),
    purpose,
    started_at: new Date().toISOString(),
  }
  const draft = `${path}.${own.nonce}.draft`
  writeDurably(draft, JSON.stringify(own))
  try {
    while (!tryTake(path, draft, directory)) {
      // Another taker was faster or has just let go: look again.
    }
  } finally {
    rmSync(draft, { force: true })
  }
  let released = false
  return {
    path,
    release() {
      if (released) return
      released = true
      if (readLock(path)?.nonce === own.nonce) rmSync(path, { force: true })
    },
  }
}

const lockContent = z.object({
  pid: z.int(),
  host: z.string(),
  boot: z.nullable(z.string()),
  start_ticks: z.nullable(z.string()),
  nonce: z.uuid(),
  purpose: z.string(),
  started_at: z.iso.datetime(),
})
type LockContent = z.infer<typeof lockContent>

/** @returns false when the ground moved meanwhile. */
function tryTake(path: string, draft: string, directory: string): boolean {
  if (link(draft, path)) return true
  const root = readLock(path)
  if (!root) return false

  const chain: string[] = []
  let last = root
  for (;;) {
    assertDead(last, directory, path)
    const successor = `${path}.${last.nonce}`
    const next = readLock(successor)
    if (!next) {
      if (!link(draft, successor)) return false
      chain.push(successor)
      break
    }
    chain.push(successor)
    last = next
  }
  const own = chain.at(-1) ?? draft
  if (readLock(path)?.nonce !== root.nonce) {
    rmSync(own, { force: true })
    return false
  }
  // From here on the end of the chain is ours, and so is the lock: what others read leads to a live holder.
  renameSync(draft, path)
  for (const file of chain) rmSync(file, { force: true })
  return true
}

function assertDead(holder: LockContent, directory: string, path: string): void {
  const own = ownIdentity()
  const since = `since ${holder.started_at}`
  if (holder.host !== own.host) {
    throw new LockHeldError(
      `The data directory ${directory} is in use by process ${holder.pid} on ${holder.host} ${since} (${holder.purpose}); if that machine is gone, remove ${path}.`,
    )
  }
  if (isAlive(holder)) {
    throw new LockHeldError(
      `The data directory ${directory} is in use by process ${holder.pid} ${since} (${holder.purpose}).`,
    )
  }
}

/** Null when there is none. @throws LockHeldError when it is not one of ours: nobody can tell whose it is. */
function readLock(path: string): LockContent | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
  try {
    return lockContent.parse(JSON.parse(text))
  } catch {
    throw new LockHeldError(
      `The lock ${path} cannot be read; remove it if no Mission Field uses that directory.`,
    )
  }
}

/** False when the name is taken. */
function link(existing: string, name: string): boolean {
  try {
    linkSync(existing, name)
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
