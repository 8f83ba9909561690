import type { Command } from 'commander'
import { withReach } from '../reach/with-reach.ts'
import { print, printJson } from '../terminal/output.ts'
import { addVerb, pastOption } from '../terminal/verb.ts'

interface Options {
  before?: string
  dryRun?: boolean
  json?: boolean
}

export function addArchiveOldJobs(program: Command): void {
  addVerb(
    program,
    'archive-old-jobs',
    'Move replaced jobs that settled long ago into files; a prompt’s newest job and every answer stay.',
  )
    .addOption(
      pastOption('--before <date>', 'only jobs settled before this day or time (MISSION_RETENTION_DAYS ago)'),
    )
    .option('--dry-run', 'only say how many it would be')
    .action(archiveOldJobs)
}

async function archiveOldJobs({ before, dryRun, json }: Options): Promise<void> {
  const request = { ...(before !== undefined && { before }), ...(dryRun && { dry_run: true }) }
  const answer = await withReach('runs mission archive-old-jobs', (reach) => reach.archive(request))
  if (json) return printJson(answer)
  if (answer.dry_run) return print(`${answer.jobs} jobs settled before ${answer.before} would be archived.`)
  print(`${answer.jobs} jobs settled before ${answer.before} archived.`)
  for (const file of answer.files) print(file)
}
