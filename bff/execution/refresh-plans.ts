import { gatherStatistics } from '../store/database/gather-statistics.ts'
import type { Execution } from './context.ts'

/** Has statements planned anew for tables that have grown to about `rows` prompts since the plans were made. */
export async function refreshPlans({ database, log }: Execution, rows: number): Promise<void> {
  if (await gatherStatistics(database, rows)) log.info({ rows }, 'statistics gathered as the tables grew')
}
