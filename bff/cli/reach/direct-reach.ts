import { cancelJob, jobDetails, listJobs, reclaimStuckJobs, retryJob } from '../../execution/operate-jobs.ts'
import { makeLoginLink } from '../../execution/sessions.ts'
import { type JobAnswer, jobDetailsAnswer, jobRow } from '../../http/admin-contract.ts'
import { examine } from '../doctor/examine.ts'
import { awaitEnd } from '../serving/end-signal.ts'
import { createOnceRunner } from '../serving/once-runner.ts'
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
  }
}

/** The same shape that comes over the socket. */
function asAnswer(row: object): JobAnswer {
  return jobRow.parse(row)
}
