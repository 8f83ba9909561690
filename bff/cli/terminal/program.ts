import { Command } from 'commander'
import { addArchiveOldJobs } from '../commands/archive-old-jobs.ts'
import { addAsk } from '../commands/ask.ts'
import { addBackup } from '../commands/backup.ts'
import { addCancelJob } from '../commands/cancel-job.ts'
import { addDelete } from '../commands/delete.ts'
import { addDoctor } from '../commands/doctor.ts'
import { addIdleStatus } from '../commands/idle-status.ts'
import { addImport } from '../commands/import.ts'
import { addJobDetails } from '../commands/job-details.ts'
import { addListJobs } from '../commands/list-jobs.ts'
import { addLoginLink } from '../commands/login-link.ts'
import { addProof } from '../commands/proof.ts'
import { addQueueMetrics } from '../commands/queue-metrics.ts'
import { addReclaimStuckJobs } from '../commands/reclaim-stuck-jobs.ts'
import { addRestore } from '../commands/restore.ts'
import { addRetryJob } from '../commands/retry-job.ts'
import { addRunWorker } from '../commands/run-worker.ts'
import { addServe } from '../commands/serve.ts'
import { addSettings } from '../commands/settings.ts'
import { version } from '../product-folder.ts'
import { UsageError } from './refusal.ts'

/**
 * Every verb of `mission`. Wrong usage throws instead of ending the process, and prints nothing: one place says what
 * went wrong, in one line.
 */
export function createProgram(): Command {
  const program = new Command('mission')
    .description('Runs prompts that outlive the browser tab.')
    .version(version, '-V, --version')
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .helpCommand(false)
    .allowExcessArguments(true)
    .action((_options, command: Command) => {
      const [verb] = command.args
      throw new UsageError(
        verb === undefined
          ? 'A verb is missing; mission --help lists them.'
          : `There is no verb ${verb}; mission --help lists them.`,
      )
    })
  for (const add of verbs) add(program)
  return program
}

/** In the order of the help. */
const verbs: readonly ((program: Command) => void)[] = [
  addServe,
  addRunWorker,
  addAsk,
  addListJobs,
  addJobDetails,
  addCancelJob,
  addRetryJob,
  addDelete,
  addReclaimStuckJobs,
  addArchiveOldJobs,
  addQueueMetrics,
  addIdleStatus,
  addLoginLink,
  addProof,
  addDoctor,
  addSettings,
  addBackup,
  addRestore,
  addImport,
]
