import { sql } from 'drizzle-orm'
import { backupTables } from '../backup/backup-format.ts'
import type { Database } from '../database/database.ts'
import { sqlJson } from '../database/sql-values.ts'

/** Texts that a careless format would change. */
const texts = [
  'plain',
  'two\nlines\r\n\ttab',
  `"quotes" 'and' \\ backslashes \\n`,
  '𝒜 🌊 \u2028 é',
  '{"not":"parsed"}',
  '',
]

/** Writes rows of the kinds that a backup could spoil: odd texts, nulls, instants, nested JSON, many events. */
export async function writeSample(database: Database, eventCount = 1200): Promise<void> {
  const id = (n: number) => sql`${`00000000-0000-7000-8000-${String(n).padStart(12, '0')}`}::uuid`
  const at = sql`${'2026-03-04T05:06:07.089Z'}::timestamptz`
  await database.transaction(async (tx) => {
    await tx.rows(sql`insert into org (id, name, created_at) values (${id(1)}, ${texts[3]}, ${at})`)
    await tx.rows(sql`insert into person (id, name, created_at) values (${id(2)}, ${texts[2]}, ${at})`)
    await tx.rows(sql`insert into membership values (${id(1)}, ${id(2)}, 'owner')`)
    for (const [n, text] of texts.entries()) {
      await tx.rows(sql`
        insert into entity (id, kind, org_id, created_by, correlation_id, truth_class, body, meta, created_at, updated_at)
        values (${id(100 + n)}, 'prompt', ${id(1)}, ${id(2)}, ${id(100)}, 'asserted', ${text},
          ${sqlJson({ text, nested: [null, 1.5, { deep: true }] })}, ${at}, ${at})`)
    }
    await tx.rows(sql`insert into edge values (${id(100)}, ${id(101)}, 'continues', ${at})`)
    await tx.rows(sql`
      insert into job (id, prompt_id, org_id, created_by, available_at, claim_rank, created_at, updated_at)
      values (${id(200)}, ${id(100)}, ${id(1)}, ${id(2)}, ${at}, 1772600767089, ${at}, ${at})`)
    await tx.rows(sql`insert into draft values (${id(200)}, 1, 0, ${texts[1]}, ${at})`)
    await tx.rows(sql`
      insert into event (org_id, owner, prompt_id, kind, data, at)
      select ${id(1)}, ${id(2)}, ${id(100)}, 'job-queued', jsonb_build_object('n', n, 'text', ${texts[2]}::text), ${at}
      from generate_series(1, ${eventCount}::int) n`)
  })
}

/** All rows of all tables as text that is equal when the data is, whichever server holds it. */
export async function readEverything(database: Database): Promise<Record<string, string[]>> {
  const everything: Record<string, string[]> = {}
  for (const { name, columns } of await backupTables(database)) {
    const list = sql.join(
      columns.map((column) => sql.identifier(column)),
      sql`, `,
    )
    const rows = await database.rows<{ line: string }>(
      sql`select row_to_json(t)::text as line from (select ${list} from ${sql.identifier(name)}) t order by line`,
    )
    if (rows.length > 0) everything[name] = rows.map(({ line }) => line)
  }
  return everything
}
