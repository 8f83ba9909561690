import { sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { DomainError } from '../../domain/errors.ts'
import type { Queryable } from '../database/database.ts'

/**
 * A backup is gzipped NDJSON. The first line is the header. A line `["table", name, columns]` begins each table, in
 * an order that satisfies foreign keys, its rows follow as objects in PostgreSQL's own JSON; `["end", rows]` is last,
 * so that a cut file is told from a whole one.
 */
export const backupHeader = z.strictObject({
  format: z.literal('mission-field-backup'),
  version: z.literal(1),
  /** Of the newest migration: rows go back only into the same schema. */
  migration: z.int(),
  /** Of the data it was taken from; a restore gets a new one. */
  epoch: z.string(),
  created_at: z.iso.datetime(),
})
export type BackupHeader = z.infer<typeof backupHeader>

export const controlLine = z.union([
  z.tuple([z.literal('table'), z.string(), z.array(z.string())]),
  z.tuple([z.literal('end'), z.int()]),
])
export type ControlLine = z.infer<typeof controlLine>

export function invalidBackup(what: string, options?: ErrorOptions): DomainError {
  return new DomainError(
    'invalid_backup',
    `The file is not a whole Mission Field backup: ${what}.`,
    {},
    options,
  )
}

export interface BackupTable {
  name: string
  columns: string[]
}

/**
 * Every table with its columns, those first that others refer to. Left out: `meta`, which names one copy of the data,
 * and `event.tx`, which counts one server's transactions.
 */
export async function backupTables(queryable: Queryable): Promise<BackupTable[]> {
  const tables = await queryable.rows<BackupTable>(sql`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'meta'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and (c.relname, a.attname) <> ('event', 'tx')
    group by c.relname order by c.relname`)
  const references = await queryable.rows<{ name: string; needs: string }>(sql`
    select c.relname as name, f.relname as needs
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
    where k.contype = 'f' and k.conrelid <> k.confrelid and c.relnamespace = 'public'::regnamespace`)
  return inOrder(tables, references)
}

function inOrder(tables: BackupTable[], references: { name: string; needs: string }[]): BackupTable[] {
  const ordered: BackupTable[] = []
  const placed = new Set<string>()
  while (ordered.length < tables.length) {
    const ready = tables.filter(
      ({ name }) =>
        !placed.has(name) && references.every((one) => one.name !== name || placed.has(one.needs)),
    )
    if (ready.length === 0) throw new Error('tables refer to one another in a circle')
    for (const table of ready) placed.add(table.name)
    ordered.push(...ready)
  }
  return ordered
}

/** The newest migration that the database has had. */
export async function currentMigration(queryable: Queryable): Promise<number> {
  const [row] = await queryable.rows<{ at: number | null }>(
    sql`select max(created_at) as at from drizzle.__drizzle_migrations`,
  )
  return row?.at ?? 0
}
