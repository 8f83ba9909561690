import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { DomainError } from '../../domain/errors.ts'
import { type Config, readConfig } from '../config.ts'
import { systemClock } from '../system-clock.ts'
import { print, printJson } from '../terminal/output.ts'
import { UsageError } from '../terminal/refusal.ts'
import { addVerb } from '../terminal/verb.ts'

interface Options {
  from?: string
  json?: boolean
}

export function addImport(program: Command): void {
  addVerb(program, 'import', 'Copy the embedded database into an empty PostgreSQL (DATABASE_URL).')
    .option('--from <dir>', 'data directory to copy from (MISSION_DATA_DIR)')
    .action(importInto)
}

async function importInto({ from, json }: Options): Promise<void> {
  const config = readConfig()
  if (config.databaseUrl === null) {
    throw new UsageError('The target is missing: DATABASE_URL has to name an empty PostgreSQL database.')
  }
  const folder = from === undefined ? config.dataDir : resolve(process.env.INIT_CWD || process.cwd(), from)
  const { rows, epoch, handedBack } = await copyFrom(folder, config)
  if (json) return printJson({ from: folder, rows, epoch, handed_back: handedBack })
  print(`Imported ${rows} rows into PostgreSQL. Browsers that were signed in stay so.`)
  if (handedBack.length > 0) print(`${handedBack.length} jobs that were running wait again, not counted.`)
  print(
    `${folder} is as it was. Serve only one of the two from now on: what each does, the other never hears.`,
  )
}

/** The embedded database is locked before PostgreSQL is opened, so that nothing is written to it meanwhile. */
async function copyFrom(folder: string, config: Config) {
  const { databaseFolder, openData } = await import('../wire.ts')
  const { openPglite } = await import('../../store/database/pglite/open-pglite.ts')
  const { importData } = await import('../../store/backup/import-data.ts')
  const purpose = 'runs mission import'
  const directory = databaseFolder({ dataDir: folder })
  if (!existsSync(join(directory, 'PG_VERSION'))) {
    throw new DomainError('not_found', `There is no embedded database in ${folder}.`)
  }
  const source = await openPglite({ directory, diskSync: config.diskSync, purpose })
  try {
    const target = await openData(config, purpose)
    try {
      const filled = await importData(source.database, target.database, systemClock.now())
      target.log.info({ from: folder, rows: filled.rows }, 'data imported')
      return filled
    } finally {
      await target.close()
    }
  } finally {
    await source.database.close()
  }
}
