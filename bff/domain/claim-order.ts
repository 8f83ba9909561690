/**
 * Who runs first: the smaller rank. Priority counts as time, `agingMs` a step, so that priority 100 is overtaken for
 * ten minutes at most (DESIGN §6). Backoff does not move it.
 */
export function claimRank(
  job: { createdAt: Date; scheduledFor: Date | null; priority: number },
  agingMs: number,
): number {
  const readyAt = Math.max(job.createdAt.getTime(), job.scheduledFor?.getTime() ?? 0)
  return readyAt + job.priority * agingMs
}

export const agingMsDefault = 6_000
