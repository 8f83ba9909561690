import {
  archiveAnswer,
  askAnswer,
  backupAnswer,
  deleteAnswer,
  doctorAnswer,
  jobDetailsAnswer,
  jobRow,
  jobsAnswer,
  loginLinkAnswer,
  reclaimAnswer,
  runOnceAnswer,
} from '../../http/admin-contract.ts'
import { idleStatusAnswer, queueMetricsAnswer } from '../../http/admin-queue-contract.ts'
import type { AdminClient } from './admin-client.ts'
import { operatorName } from './operator-name.ts'
import type { Reach } from './reach.ts'

/** The data by way of the server that has it open; every call throws NobodyListens when none does. */
export function socketReach(client: AdminClient): Reach {
  const actor = { actor: operatorName() }
  return {
    loginLink: () => client.post('/login-link', null, loginLinkAnswer),
    listJobs: (query) => client.get(`/jobs?${queryOf(query)}`, jobsAnswer),
    jobDetails: (jobId) => client.get(`/jobs/${jobId}`, jobDetailsAnswer),
    cancelJob: (jobId) => client.post(`/jobs/${jobId}/cancel`, actor, jobRow),
    retryJob: (jobId) => client.post(`/jobs/${jobId}/retry`, actor, jobRow),
    reclaim: () => client.post('/reclaim', null, reclaimAnswer),
    runOnce: (request) => client.post('/worker/run-once', request, runOnceAnswer),
    doctor: () => client.get('/doctor', doctorAnswer),
    backup: (path) => client.post('/backup', { path }, backupAnswer),
    queueMetrics: (query) => client.get(`/queue-metrics?${queryOf(query)}`, queueMetricsAnswer),
    idleStatus: () => client.get('/idle-status', idleStatusAnswer),
    archive: (request) => client.post('/archive', request, archiveAnswer),
    ask: (request, { patience }) => client.post('/ask', request, askAnswer, patience),
    async deletePrompt(promptId) {
      await client.post(`/prompts/${promptId}/delete`, actor, deleteAnswer)
    },
    async deleteThread(threadId) {
      await client.post(`/threads/${threadId}/delete`, actor, deleteAnswer)
    },
  }
}

function queryOf(query: object): URLSearchParams {
  return new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  )
}
