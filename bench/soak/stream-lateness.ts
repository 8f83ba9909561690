import { sql } from 'drizzle-orm'
import type { Database } from '../../bff/store/database/database.ts'
import { viewsMax, viewsResponse } from '../../shared/observe.ts'
import type { Follower } from './follow-views.ts'
import type { MissionServer } from './mission-server.ts'
import type { ViewWatch } from './view-watch.ts'

/** Beyond it a change is not late but lost, however busy the machine; an outage starts the count anew. */
const lateMs = 10_000
const lookMs = 1_000

export interface LatenessWatch {
  /** What streams did not tell in time; each prompt once for each stream. */
  readonly late: readonly string[]
  stop(): Promise<void>
}

/**
 * Compares what the database has with what the streams told, once a second. What a stream owes is noted and read
 * over HTTP in its place, so that a lost signal is a finding and no hang.
 */
export function watchLateness(
  database: Database,
  followers: readonly Follower[],
  server: MissionServer,
  watch: ViewWatch,
): LatenessWatch {
  const owedSince = new Map<string, number>()
  const noted = new Set<string>()
  const late: string[] = []

  const look = async (): Promise<void> => {
    const rows = await database.rows<{ id: string; revision: number }>(
      sql`select id, revision from entity where kind = 'prompt'`,
    )
    const nowMs = Date.now()
    const missing = new Set<string>()
    for (const { id, revision } of rows) {
      for (const [index, follower] of followers.entries()) {
        const key = `${index} ${id}`
        if ((follower.views.get(id)?.revision ?? 0) >= revision) owedSince.delete(key)
        else if (nowMs - (owedSince.get(key) ?? nowMs) < lateMs) {
          if (!owedSince.has(key)) owedSince.set(key, nowMs)
        } else {
          missing.add(id)
          if (!noted.has(key))
            late.push(`stream ${index} owed revision ${revision} of prompt ${id} for ${lateMs} ms`)
          noted.add(key)
        }
      }
    }
    for (const id of [...missing].slice(0, viewsMax)) {
      const response = await server.fetch(`/api/v1/mission/views?ids=${id}`)
      for (const view of viewsResponse.parse(await response.json()).views) watch.take(view)
    }
  }

  let stopped = false
  let wake = (): void => {}
  const looking = (async () => {
    while (!stopped) {
      await look().catch(() => owedSince.clear())
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, lookMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
        if (stopped) wake()
      })
    }
  })()
  return {
    late,
    async stop() {
      stopped = true
      wake()
      await looking
    },
  }
}
