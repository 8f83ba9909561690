/**
 * Opens the embedded database in the directory named by its argument, inserts numbers for ever, and prints each one
 * once it is committed: for tests that kill it in the middle.
 */
import { sql } from 'drizzle-orm'
import { openPglite } from '../database/pglite/open-pglite.ts'

const directory = process.argv[2]
if (!directory) throw new Error('usage: embedded-writer.ts DIRECTORY')

const { database } = await openPglite({ directory, diskSync: true, purpose: 'writes for a test' })
for (let n = 1; ; n += 1) {
  await database.rows(sql`insert into written values (${n})`)
  process.stdout.write(`${n}\n`)
}
