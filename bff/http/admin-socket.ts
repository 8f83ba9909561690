import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { Hono } from 'hono'
import * as z from 'zod/mini'
import { uuid } from '../../shared/ids.ts'
import { DomainError } from '../domain/errors.ts'
import type { Execution } from '../execution/context.ts'
import { cancelJob, jobDetails, listJobs, reclaimStuckJobs, retryJob } from '../execution/operate-jobs.ts'
import { makeLoginLink } from '../execution/sessions.ts'
import {
  actorBody,
  type BackupAnswer,
  type BackupBody,
  backupBody,
  type DoctorAnswer,
  jobsQuery,
  type RunOnceAnswer,
  type RunOnceBody,
  runOnceBody,
} from './admin-contract.ts'
import { addOperations, adminBody, type OperationParts } from './admin-routes.ts'
import { errorResponse } from './app.ts'
import { parseWith } from './request/parse-with.ts'
import { readQuery } from './request/read-query.ts'
import { listening, nodeServer } from './serve.ts'

/** What only the process that runs the server can do; the wire gives it. */
export interface AdminParts extends OperationParts {
  /** The address that signs a browser in with this token. */
  loginUrl: (token: string) => string
  runOnce: (body: RunOnceBody) => Promise<RunOnceAnswer>
  doctor: () => Promise<DoctorAnswer>
  backup: (body: BackupBody) => Promise<BackupAnswer>
}

/**
 * What the CLI asks of a running server, over a socket whose file only its owner may open: that is the guard, there
 * is no session. `admin-contract.ts` says what goes in and out.
 */
export function adminApp(execution: Execution, parts: AdminParts): Hono {
  const app = new Hono()
  app.onError((error) => errorResponse(error, execution.log))
  app.notFound(() => errorResponse(new DomainError('not_found', 'There is no such call.'), execution.log))
  app.post('/login-link', async (context) => {
    const { token, expiresAt } = await makeLoginLink(execution)
    return context.json({ url: parts.loginUrl(token), expires_at: expiresAt.toISOString() })
  })
  app.get('/jobs', async (context) => {
    const { state, org, since, limit } = parseWith(jobsQuery, readQuery(context.req.url), 'The query')
    const jobs = await listJobs(execution, {
      state,
      orgId: org,
      since: since === undefined ? undefined : new Date(since),
      limit,
    })
    return context.json({ jobs })
  })
  app.get('/jobs/:job_id', async (context) =>
    context.json(await jobDetails(execution, jobIdOf(context.req.param()))),
  )
  app.post('/jobs/:job_id/cancel', async (context) => {
    const { actor } = await adminBody(actorBody, context.req.raw)
    return context.json(await cancelJob(execution, jobIdOf(context.req.param()), actor ?? 'operator'))
  })
  app.post('/jobs/:job_id/retry', async (context) => {
    const { actor } = await adminBody(actorBody, context.req.raw)
    return context.json(await retryJob(execution, jobIdOf(context.req.param()), actor ?? 'operator'), 202)
  })
  app.post('/reclaim', async (context) => context.json(await reclaimStuckJobs(execution)))
  app.post('/worker/run-once', async (context) =>
    context.json(await parts.runOnce(await adminBody(runOnceBody, context.req.raw))),
  )
  app.get('/doctor', async (context) => context.json(await parts.doctor()))
  app.post('/backup', async (context) =>
    context.json(await parts.backup(await adminBody(backupBody, context.req.raw))),
  )
  addOperations(app, execution, parts)
  return app
}

/**
 * Serves `app` on a socket file that only its owner may use. A file that a killed server left is replaced: the caller
 * holds the lock of the data directory, so that no other server can be using it.
 *
 * @throws Error when something that is no socket has that name.
 */
export async function listenAdmin(
  app: Hono,
  socketPath: string,
): Promise<{ close(graceMs: number): Promise<void> }> {
  if (Buffer.byteLength(socketPath) > socketPathBytesMax) {
    throw new Error(
      `${socketPath} is too long for a socket: at most ${socketPathBytesMax} bytes are possible.`,
    )
  }
  removeStale(socketPath)
  const { server, close } = nodeServer(app)
  await listening(server, () => {
    // Node binds at once; between that and chmod nobody else may open it either.
    const mask = process.umask(0o177)
    try {
      server.listen(socketPath)
    } finally {
      process.umask(mask)
    }
  })
  chmodSync(socketPath, 0o600)
  return { close }
}

/** The shortest limit of the systems we run on (macOS). */
const socketPathBytesMax = 103

const jobParams = z.strictObject({ job_id: uuid })

function jobIdOf(params: Record<string, string>): string {
  return parseWith(jobParams, params, 'The path').job_id
}

function removeStale(socketPath: string): void {
  const found = lstatSync(socketPath, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket()) throw new Error(`${socketPath} is not a socket; move it away.`)
  rmSync(socketPath)
}
