import { resolve } from 'node:path'
import type { Command } from 'commander'
import { withReach } from '../reach/with-reach.ts'
import { print, printJson } from '../terminal/output.ts'
import { addVerb } from '../terminal/verb.ts'

export function addBackup(program: Command): void {
  addVerb(program, 'backup', 'Write all data into one file, also while the server runs.')
    .argument('<file>', 'file to write; an older one of that name is replaced')
    .action(backup)
}

async function backup(file: string, { json }: { json?: boolean }): Promise<void> {
  const path = resolve(process.env.INIT_CWD || process.cwd(), file)
  const written = await withReach('runs mission backup', (reach) => reach.backup(path))
  if (json) printJson(written)
  else print(`Wrote ${written.path}, ${written.bytes} bytes.`)
}
