import type { Command } from 'commander'
import { withReach } from '../reach/with-reach.ts'
import { print, printJson } from '../terminal/output.ts'
import { addVerb } from '../terminal/verb.ts'

export function addReclaimStuckJobs(program: Command): void {
  addVerb(
    program,
    'reclaim-stuck-jobs',
    'Take back jobs whose worker has not been heard of for a lease.',
  ).action(reclaimStuckJobs)
}

async function reclaimStuckJobs({ json }: { json?: boolean }): Promise<void> {
  const { requeued, failed } = await withReach('runs mission reclaim-stuck-jobs', (reach) => reach.reclaim())
  if (json) return printJson({ requeued, failed })
  print(`${requeued.length} back in the queue, ${failed.length} failed.`)
  for (const id of requeued) print(`${id} queued`)
  for (const id of failed) print(`${id} failed`)
}
