import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

/** What is stored of one prompt, counted in the rows themselves. */
export interface StoredPrompt {
  /** Of its newest job. */
  state: string
  jobs: number
  responses: number
}

/**
 * Every prompt of a data directory by id, a half one with `state` `none` and no jobs. The server must have ended:
 * PGlite is never opened twice.
 */
export async function readStoredRows(dataDir: string): Promise<Map<string, StoredPrompt>> {
  const database = await PGlite.create(join(dataDir, 'pglite'))
  try {
    const { rows } = await database.query<StoredPrompt & { id: string }>(`
      select p.id,
        coalesce((select j.state from job j where j.prompt_id = p.id order by j.created_at desc limit 1), 'none')
          as state,
        (select count(*)::int from job j where j.prompt_id = p.id) as jobs,
        (select count(*)::int from edge e where e.from_id = p.id and e.kind = 'flows-to') as responses
      from entity p where p.kind = 'prompt'`)
    return new Map(rows.map(({ id, state, jobs, responses }) => [id, { state, jobs, responses }]))
  } finally {
    await database.close()
  }
}
