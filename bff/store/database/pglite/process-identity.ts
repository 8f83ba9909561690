import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Enough to tell later, from another process, whether this very process still lives. */
export interface ProcessIdentity {
  pid: number
  host: string
  /** Linux: a new value at every boot, and the process's start in clock ticks since then; null where unknown. */
  boot: string | null
  start_ticks: string | null
}

export function ownIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    host: hostname(),
    boot: bootId(),
    start_ticks: statOf(process.pid)?.startTicks ?? null,
  }
}

/**
 * Whether that process still runs. A zombie does not: it holds no file open and writes nothing more.
 * A pid that is in use again is told apart by boot and start time where the system shows them.
 */
export function isAlive(identity: ProcessIdentity): boolean {
  const boot = bootId()
  if (identity.boot !== null && boot !== null && identity.boot !== boot) return false
  const stat = statOf(identity.pid)
  if (stat === undefined) return answersSignals(identity.pid)
  if (stat === null || stat.state === 'Z' || stat.state === 'X') return false
  return identity.start_ticks === null || identity.start_ticks === stat.startTicks
}

/** Null when there is no such process; undefined when this system has no `/proc`. */
function statOf(pid: number): { state: string; startTicks: string } | null | undefined {
  if (bootId() === null) return undefined
  let line: string
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // Also when hidden (hidepid): then only a signal can tell.
    return answersSignals(pid) ? undefined : null
  }
  // The second field is the program's name in parentheses and may hold spaces; counting starts after it.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', startTicks: fields[19] ?? '' }
}

function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return null
  }
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
