import { deletePromptAs } from '../../execution/delete/delete-prompt.ts'
import { deleteThreadAs } from '../../execution/delete/delete-thread.ts'
import { idleStatus } from '../../execution/operate/idle-status.ts'
import { queueMetrics } from '../../execution/operate/queue-metrics.ts'
import { cancelJob, jobDetails, listJobs, reclaimStuckJobs, retryJob } from '../../execution/operate-jobs.ts'
import { runPrompt } from '../../execution/run-prompt.ts'
import { makeLoginLink } from '../../execution/sessions.ts'
import {
  askAnswer,
  type JobAnswer,
  jobDetailsAnswer,
  jobRow,
  submitOfAsk,
} from '../../http/admin-contract.ts'
import { idleStatusAnswer, queueMetricsAnswer } from '../../http/admin-queue-contract.ts'
import { archiveJobs } from '../archive-jobs.ts'
import { examine } from '../doctor/examine.ts'
import { awaitEnd } from '../serving/end-signal.ts'
import { createOnceRunner } from '../serving/once-runner.ts'
import { startJobs } from '../serving/start-jobs.ts'
import type { Product } from '../wire.ts'
import { writeBackup } from '../write-backup.ts'
import { loginUrl, serverUrl } from './login-url.ts'
import { operatorName } from './operator-name.ts'
import type { Reach } from './reach.ts'

/** The data opened by this process itself: PostgreSQL, or the embedded database that nobody else has open. */
export function directReach(product: Product): Reach {
  const { config, execution, storage } = product
  // The lock proves that whoever claimed a running job is gone.
  const aloneHere = storage.kind === 'pglite'
  return {
    async loginLink() {
      const url = serverUrl(config)
      const { token, expiresAt } = await makeLoginLink(execution)
      return { url: loginUrl(url, token), expires_at: expiresAt.toISOString() }
    },
    async listJobs({ state, org, since, limit }) {
      const jobs = await listJobs(execution, {
        ...(state !== undefined && { state }),
        ...(org !== undefined && { orgId: org }),
        ...(since !== undefined && { since: new Date(since) }),
        ...(limit !== undefined && { limit: Number(limit) }),
      })
      return { jobs: jobs.map(asAnswer) }
    },
    jobDetails: async (jobId) => jobDetailsAnswer.parse(await jobDetails(execution, jobId)),
    cancelJob: async (jobId) => asAnswer(await cancelJob(execution, jobId, operatorName())),
    retryJob: async (jobId) => asAnswer(await retryJob(execution, jobId, operatorName())),
    reclaim: () => reclaimStuckJobs(execution, aloneHere),
    async runOnce(request) {
      await reclaimStuckJobs(execution, aloneHere)
      const runner = createOnceRunner(execution)
      void awaitEnd().asked.then(() => runner.drain(config.drainMs))
      return runner.runOnce(request)
    },
    doctor: () => examine(product),
    backup: (path) => writeBackup(product, path),
    async queueMetrics({ org, since }) {
      const filter = {
        ...(org !== undefined && { orgId: org }),
        ...(since !== undefined && { since: new Date(since) }),
      }
      return queueMetricsAnswer.parse(await queueMetrics(execution, filter))
    },
    idleStatus: async () => idleStatusAnswer.parse(await idleStatus(execution)),
    archive: (request) => archiveJobs(product, request),
    async ask(request, { patience, here }) {
      // The prompt runs in its turn, behind what waits already. What else was begun by then is handed back uncounted.
      const jobs = aloneHere || here ? startJobs(product, { worker: true }) : null
      try {
        await jobs?.ready
        return askAnswer.parse(await runPrompt(execution, product.owner, submitOfAsk(request), patience))
      } finally {
        await jobs?.stop(config.drainMs / 2)
      }
    },
    deletePrompt: (promptId) => deletePromptAs(execution, promptId, operatorName()),
    deleteThread: (threadId) => deleteThreadAs(execution, threadId, operatorName()),
  }
}

/** The same shape that comes over the socket. */
function asAnswer(row: object): JobAnswer {
  return jobRow.parse(row)
}
