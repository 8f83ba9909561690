/** Short deadlines, so that what takes minutes in earnest takes seconds here. */
export const leaseMs = 2_000
export const heartbeatMs = 200
const concurrency = 8

/** Fewer permits than places, so that the limit of the org is at work too. */
export function orgLimit(workers: number): number {
  return Math.max(4, (workers - 1) * concurrency)
}

/** What every process of a soak is told by its environment. */
export function soakSettings(databaseUrl: string, workers: number): Readonly<Record<string, string>> {
  return {
    DATABASE_URL: databaseUrl,
    MISSION_PORT: '0',
    // Practice by name: no model server of this machine is looked for.
    MISSION_MODEL: 'practice',
    MISSION_LEASE_MS: String(leaseMs),
    MISSION_HEARTBEAT_MS: String(heartbeatMs),
    MISSION_BACKOFF_SCALE: '0.02',
    MISSION_WORKER_CONCURRENCY: String(concurrency),
    MISSION_ORG_CONCURRENCY: String(orgLimit(workers)),
    MISSION_CONTROL_SPACING_MS: '500',
    MISSION_DRAIN_MS: '4000',
    MISSION_SUBMITS_PER_MINUTE: '1000000',
  }
}
