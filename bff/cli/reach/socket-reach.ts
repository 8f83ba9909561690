import {
  backupAnswer,
  doctorAnswer,
  jobDetailsAnswer,
  jobRow,
  jobsAnswer,
  loginLinkAnswer,
  reclaimAnswer,
  runOnceAnswer,
} from '../../http/admin-contract.ts'
import type { AdminClient } from './admin-client.ts'
import { operatorName } from './operator-name.ts'
import type { Reach } from './reach.ts'

/** The data by way of the server that has it open; every call throws NobodyListens when none does. */
export function socketReach(client: AdminClient): Reach {
  const actor = { actor: operatorName() }
  return {
    loginLink: () => client.post('/login-link', null, loginLinkAnswer),
    listJobs: (query) => client.get(`/jobs?${new URLSearchParams(definedOf(query))}`, jobsAnswer),
    jobDetails: (jobId) => client.get(`/jobs/${jobId}`, jobDetailsAnswer),
    cancelJob: (jobId) => client.post(`/jobs/${jobId}/cancel`, actor, jobRow),
    retryJob: (jobId) => client.post(`/jobs/${jobId}/retry`, actor, jobRow),
    reclaim: () => client.post('/reclaim', null, reclaimAnswer),
    runOnce: (request) => client.post('/worker/run-once', request, runOnceAnswer),
    doctor: () => client.get('/doctor', doctorAnswer),
    backup: (path) => client.post('/backup', { path }, backupAnswer),
  }
}

function definedOf(query: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  )
}
