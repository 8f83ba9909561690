import { resolve } from 'node:path'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { systemClock } from '../system-clock.ts'
import { print, printJson } from '../terminal/output.ts'
import { addVerb } from '../terminal/verb.ts'

export function addRestore(program: Command): void {
  addVerb(program, 'restore', 'Fill an empty database from a backup; no server may be running.')
    .argument('<file>', 'file that mission backup wrote')
    .action(restoreFrom)
}

async function restoreFrom(file: string, { json }: { json?: boolean }): Promise<void> {
  const path = resolve(process.env.INIT_CWD || process.cwd(), file)
  const { openData } = await import('../wire.ts')
  const { restore } = await import('../../store/backup/restore.ts')
  const { database, log, close } = await openData(readConfig(), 'runs mission restore')
  try {
    const { rows, createdAt, handedBack } = await restore(database, path, systemClock.now())
    log.info({ path, rows }, 'backup restored')
    if (json) printJson({ path, rows, created_at: createdAt.toISOString(), handed_back: handedBack })
    else print(`Restored ${rows} rows, as of ${createdAt.toISOString()}.`)
  } finally {
    await close()
  }
}
