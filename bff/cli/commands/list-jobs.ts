import { type Command, Option } from 'commander'
import { jobStates } from '../../../shared/job.ts'
import type { JobAnswer, JobsQuery } from '../../http/admin-contract.ts'
import { withReach } from '../reach/with-reach.ts'
import { type Column, printJson, printTable, shortened } from '../terminal/output.ts'
import { addVerb, numberOption, orgOption, sinceOption } from '../terminal/verb.ts'

interface Options extends Omit<JobsQuery, 'limit'> {
  limit?: number
  json?: boolean
}

export function addListJobs(program: Command): void {
  addVerb(program, 'list-jobs', 'List jobs, newest first.')
    .addOption(new Option('--state <state>', 'only jobs in this state').choices(jobStates))
    .addOption(orgOption())
    .addOption(sinceOption('only jobs made at this time or later'))
    .addOption(numberOption('--limit <n>', 'how many at most', 1, 500))
    .action(listJobs)
}

async function listJobs({ json, limit, ...filters }: Options): Promise<void> {
  const query: JobsQuery = { ...filters, ...(limit !== undefined && { limit: String(limit) }) }
  const answer = await withReach('runs mission list-jobs', (reach) => reach.listJobs(query))
  if (json) printJson(answer)
  else printTable(columns, answer.jobs, 'No jobs.')
}

const columns: Column<JobAnswer>[] = [
  { heading: 'JOB', of: (job) => job.job_id },
  { heading: 'STATE', of: (job) => job.state },
  { heading: 'ATTEMPT', of: (job) => `${job.attempt}/${job.max_attempts}` },
  { heading: 'MODEL', of: (job) => job.model },
  { heading: 'CREATED', of: (job) => job.created_at },
  { heading: 'ERROR', of: (job) => job.error_kind },
  { heading: 'PROMPT', of: (job) => job.prompt && shortened(job.prompt, 40) },
]
