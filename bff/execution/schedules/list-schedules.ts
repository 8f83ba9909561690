import type { Schedule } from '../../../shared/contracts/schedules.ts'
import { pageLimitDefault } from '../../../shared/observe.ts'
import { neverAt, readSchedules } from '../../store/schedules/read-schedules.ts'
import type { Execution, Scope } from '../context.ts'
import { decodePageKey, encodePageKey } from '../observe/page-key.ts'
import { scheduleAnswer } from './schedule-answer.ts'

/**
 * One's own recurring prompts, the next one first, those without a next time last, in pages.
 *
 * @throws DomainError `malformed_cursor` for an `after` that no page gave.
 */
export async function listSchedules(
  execution: Execution,
  scope: Scope,
  query: { after?: string | undefined; limit?: number | undefined },
): Promise<{ schedules: Schedule[]; next: string | null }> {
  const limit = query.limit ?? pageLimitDefault
  const place = query.after === undefined ? null : decodePageKey('after', query.after)
  const rows = await readSchedules(execution.database, scope, {
    after: place && { nextAt: place.createdAt, id: place.id },
    limit: limit + 1,
  })
  const schedules = rows.slice(0, limit).map(scheduleAnswer)
  const last = schedules.at(-1)
  const next =
    rows.length > limit && last
      ? encodePageKey({ created_at: last.next_at ?? neverAt.toISOString(), prompt_id: last.id })
      : null
  return { schedules, next }
}
