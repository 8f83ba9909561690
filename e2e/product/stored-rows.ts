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
  return withData(dataDir, async (database) => {
    const { rows } = await database.query<StoredPrompt & { id: string }>(`
      select p.id,
        coalesce((select j.state from job j where j.prompt_id = p.id order by j.created_at desc limit 1), 'none')
          as state,
        (select count(*)::int from job j where j.prompt_id = p.id) as jobs,
        (select count(*)::int from edge e where e.from_id = p.id and e.kind = 'flows-to') as responses
      from entity p where p.kind = 'prompt'`)
    return new Map(rows.map(({ id, state, jobs, responses }) => [id, { state, jobs, responses }]))
  })
}

/** Makes prompts older: the clock of a server cannot be set from outside. The server must have ended. */
export async function moveCreation(dataDir: string, moments: ReadonlyMap<string, Date>): Promise<void> {
  await withData(dataDir, async (database) => {
    for (const [id, moment] of moments) {
      await database.query('update entity set created_at = $1 where id = $2', [moment, id])
    }
  })
}

async function withData<Result>(
  dataDir: string,
  use: (database: PGlite) => Promise<Result>,
): Promise<Result> {
  const database = await PGlite.create(join(dataDir, 'pglite'))
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}
