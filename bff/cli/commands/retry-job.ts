import type { Command } from 'commander'
import { withReach } from '../reach/with-reach.ts'
import { print, printJson } from '../terminal/output.ts'
import { addVerb, jobId } from '../terminal/verb.ts'

export function addRetryJob(program: Command): void {
  addVerb(program, 'retry-job', 'Run the prompt of an ended job again, as a new job.')
    .argument('<job_id>', 'id of the job that ended', jobId)
    .action(retryJob)
}

async function retryJob(id: string, { json }: { json?: boolean }): Promise<void> {
  const job = await withReach('runs mission retry-job', (reach) => reach.retryJob(id))
  if (json) printJson(job)
  else print(`Job ${job.job_id} follows ${id} and is ${job.state}.`)
}
