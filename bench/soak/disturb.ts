import type { RunningPostgres } from '../../bff/store/testing/start-postgres.ts'
import type { Outage } from './checks/check-reclaims.ts'
import type { Follower } from './follow-views.ts'
import type { SoakPlan } from './soak-plan.ts'
import type { WorkerSlots } from './worker-slots.ts'

/** What the plan lets happen while prompts run. */
export interface Disturbance {
  readonly outages: readonly Outage[]
  /** Called with every prompt that settles: most of the plan is tied to progress. */
  onSettled(count: number): void
  /** No more of it; resolves when a restart that is under way is over. */
  stop(): Promise<void>
}

/** Kills by ticks or by progress; crashes of PostgreSQL and reconnects of the streams' clients by progress. */
export function disturb(
  plan: SoakPlan,
  workers: WorkerSlots,
  postgres: RunningPostgres,
  followers: readonly Follower[],
): Disturbance {
  const outages: Outage[] = []
  const kills = [...plan.kills]
  const restarts = [...plan.restarts]
  const reconnects = [...plan.reconnects]
  let restarting: Promise<void> = Promise.resolve()

  const killNext = (): void => {
    const next = kills.shift()
    if (next) workers.kill(next.victim)
  }
  /** On a slow machine workers would be killed before they run anything: a tick passes while its victim starts. */
  const tick = (): void => {
    if (kills[0] && workers.isReady(kills[0].victim)) killNext()
  }
  const restart = async (): Promise<void> => {
    const fromMs = Date.now()
    await postgres.restart('immediate')
    outages.push({ fromMs, untilMs: Date.now() })
  }

  const ticks = plan.options.kills === null ? setInterval(tick, plan.options.killEveryMs) : undefined
  return {
    outages,
    onSettled(count) {
      const isDue = (at: number | null | undefined): boolean => at !== null && at !== undefined && at <= count
      while (isDue(kills[0]?.atSettled)) killNext()
      for (; isDue(restarts[0]); restarts.shift()) restarting = restarting.then(restart)
      for (; isDue(reconnects[0]); reconnects.shift()) for (const follower of followers) follower.leave()
    },
    async stop() {
      clearInterval(ticks)
      await restarting
    },
  }
}
