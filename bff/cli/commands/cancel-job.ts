import type { Command } from 'commander'
import { withReach } from '../reach/with-reach.ts'
import { print, printJson } from '../terminal/output.ts'
import { addVerb, jobId } from '../terminal/verb.ts'

export function addCancelJob(program: Command): void {
  addVerb(program, 'cancel-job', 'Cancel a job that waits or runs.')
    .argument('<job_id>', 'id of the job', jobId)
    .action(cancelJob)
}

async function cancelJob(id: string, { json }: { json?: boolean }): Promise<void> {
  const job = await withReach('runs mission cancel-job', (reach) => reach.cancelJob(id))
  if (json) printJson(job)
  else print(`Job ${job.job_id} is ${job.state}.`)
}
