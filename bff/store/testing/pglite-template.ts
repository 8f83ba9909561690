import { createHash, randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { migrate, migrationsFolder } from '../database/migrate.ts'
import { openInMemory } from '../database/pglite/open-pglite.ts'

/**
 * A migrated, otherwise empty PGlite as a dump, made once for each state of the migrations folder and kept in the
 * temporary folder: a start from it takes a fraction of a second, from nothing several. Test processes that start
 * together make it once; the others wait.
 */
export async function pgliteTemplate(): Promise<Blob> {
  const folder = join(tmpdir(), `mission-field-test-${userInfo().username}`)
  const file = join(folder, `pglite-${templateVersion}-${migrationsHash()}.tar`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!existsSync(file)) await makeOnce(file)
  return new Blob([readFileSync(file)], { type: 'application/x-tar' })
}

/** Raised when the template is made in another way. */
const templateVersion = 2

/** Names one state of the migrations: a changed or added file changes it. */
export function migrationsHash(): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(migrationsFolder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(migrationsFolder, name)
    if (statSync(path).isFile()) hash.update(name).update(readFileSync(path))
  }
  return hash.digest('hex').slice(0, 16)
}

const makingMsMax = 60_000

async function makeOnce(file: string): Promise<void> {
  const mark = `${file}.making`
  const givesUpAt = Date.now() + makingMsMax
  while (!existsSync(file)) {
    if (!takeMark(mark)) {
      await wait(50)
      // Who made the mark may have been killed: after a while everybody makes it, and the rename stays harmless.
      if (Date.now() < givesUpAt) continue
    }
    try {
      await make(file)
    } finally {
      dropMark(mark)
    }
  }
}

async function make(file: string): Promise<void> {
  const { database, dump } = await openInMemory()
  await migrate(database)
  await shrink(database)
  const bytes = new Uint8Array(await (await dump()).arrayBuffer())
  await database.close()
  const draft = `${file}.${randomUUID()}`
  writeFileSync(draft, bytes, { mode: 0o600 })
  renameSync(draft, file)
}

/** Two thirds of a new cluster are its template databases, which nobody clones here: every start would unpack them. */
async function shrink(database: Database): Promise<void> {
  await database.rows(sql`update pg_database set datistemplate = false where datname like 'template%'`)
  for (const name of ['template0', 'template1']) await database.rows(sql.raw(`drop database ${name}`))
  await database.rows(sql`checkpoint`)
}

function takeMark(mark: string): boolean {
  try {
    mkdirSync(mark)
    return true
  } catch {
    return false
  }
}

function dropMark(mark: string): void {
  try {
    rmdirSync(mark)
  } catch {
    // Another process that had waited too long has dropped it.
  }
}
