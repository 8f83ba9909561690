import type { AuditedMove } from '../run-audit.ts'
import type { Kill } from '../worker-slots.ts'

/** A time in which PostgreSQL was down; times in ms of the machine's clock. */
export interface Outage {
  fromMs: number
  untilMs: number
}

export interface ReclaimFigures {
  reclaims: number
  /** Of them, whose lease ended while PostgreSQL was down or within two seconds of that. */
  aroundOutages: number
  /** From the last heartbeat of a worker that was killed to the reclaim, those around outages apart. */
  longestFromHeartbeatMs: number
  /** From the end of the outage to the reclaim, for those around outages. */
  longestFromOutageMs: number
  /** From a kill to the reclaim of what the dead worker held, and to its next claim. */
  longestKillToReclaimMs: number
  longestKillToClaimMs: number
  /** Reclaims from workers that nobody had killed, around outages apart: they were too busy to beat. */
  fromTheLiving: number
  longestFromTheLivingMs: number
}

/** What a timer, a statement and a busy machine may take beyond the lease. */
const graceMs = 1_000
/** After an outage: reconnecting, and a reclaim that failed tries again after a second. */
const recoveryMs = 2_000
/** A transaction of the holder's own may have the row just then; the reclaim passes it by and looks again in a second. */
const livingGraceMs = 3_000

/**
 * Nothing stays stuck: what a dead worker held is taken back at most a second after its lease, and what a living one
 * held that was too busy to beat, at most three. While PostgreSQL is down nobody can take back anything, so a lease
 * that ends in an outage, or within two seconds after it, while clients reconnect, counts from the end of the outage,
 * with two seconds.
 */
export function checkReclaims(
  audit: readonly AuditedMove[],
  kills: readonly Kill[],
  outages: readonly Outage[],
  leaseMs: number,
): { broken: string[]; figures: ReclaimFigures } {
  const figures: ReclaimFigures = {
    reclaims: 0,
    aroundOutages: 0,
    longestFromHeartbeatMs: 0,
    longestFromOutageMs: 0,
    longestKillToReclaimMs: 0,
    longestKillToClaimMs: 0,
    fromTheLiving: 0,
    longestFromTheLivingMs: 0,
  }
  const raise = (key: keyof ReclaimFigures, value: number): void => {
    figures[key] = Math.max(figures[key], Math.round(value))
  }
  const broken = audit.filter(isReclaim).flatMap((move) => {
    figures.reclaims += 1
    const heartbeatMs = move.heartbeat_ms ?? 0
    const leaseEndMs = heartbeatMs + leaseMs
    const outage = outages.find(
      ({ fromMs, untilMs }) => fromMs <= move.at_ms && leaseEndMs <= untilMs + recoveryMs,
    )
    const kill = killOf(move, kills)
    if (outage) {
      figures.aroundOutages += 1
      raise('longestFromOutageMs', move.at_ms - outage.untilMs)
      const late = move.at_ms - Math.max(outage.untilMs, leaseEndMs) > recoveryMs
      return late
        ? [`job ${move.job_id} was taken back ${since(move.at_ms, outage.untilMs)} after the outage`]
        : []
    }
    if (kill) {
      raise('longestKillToReclaimMs', move.at_ms - kill.atMs)
      raise('longestFromHeartbeatMs', move.at_ms - heartbeatMs)
      const next = audit.find(
        ({ job_id, seq, state }) => job_id === move.job_id && seq > move.seq && state === 'running',
      )
      if (next) raise('longestKillToClaimMs', next.at_ms - kill.atMs)
    } else {
      figures.fromTheLiving += 1
      raise('longestFromTheLivingMs', move.at_ms - heartbeatMs)
    }
    return move.at_ms - leaseEndMs > (kill ? graceMs : livingGraceMs)
      ? [`job ${move.job_id} was taken back ${since(move.at_ms, heartbeatMs)} after its last heartbeat`]
      : []
  })
  return { broken, figures }
}

/** More runs at once than the org has permits, at any moment. Ends are noted before their commit, claims after. */
export function checkOrgLimit(
  audit: readonly AuditedMove[],
  limit: number,
): { broken: string[]; most: number } {
  let running = 0
  let most = 0
  for (const { was, state } of [...audit].sort((a, b) => a.at_ms - b.at_ms)) {
    if (state === 'running') running += 1
    else if (was === 'running') running -= 1
    most = Math.max(most, running)
  }
  return { broken: most > limit ? [`${most} runs at once, and the org has ${limit} permits`] : [], most }
}

function isReclaim({ was, state, error_kind }: AuditedMove): boolean {
  return was === 'running' && (state === 'queued' || state === 'failed') && error_kind === 'worker_crash'
}

function killOf(move: AuditedMove, kills: readonly Kill[]): Kill | undefined {
  const pid = Number(move.worker_id?.split(':').at(-1))
  return kills.find((kill) => kill.pid === pid && kill.atMs <= move.at_ms)
}

function since(laterMs: number, earlierMs: number): string {
  return `${((laterMs - earlierMs) / 1_000).toFixed(2)} s`
}
