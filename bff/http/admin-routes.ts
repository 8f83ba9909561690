import type { Hono } from 'hono'
import * as z from 'zod/mini'
import { uuid } from '../../shared/ids.ts'
import type { Execution } from '../execution/context.ts'
import { deletePromptAs } from '../execution/delete/delete-prompt.ts'
import { deleteThreadAs } from '../execution/delete/delete-thread.ts'
import { idleStatus } from '../execution/operate/idle-status.ts'
import { queueMetrics } from '../execution/operate/queue-metrics.ts'
import { runPrompt } from '../execution/run-prompt.ts'
import { ensureOwner } from '../execution/sessions.ts'
import {
  type ArchiveAnswer,
  type ArchiveBody,
  actorBody,
  archiveBody,
  askBody,
  submitOfAsk,
} from './admin-contract.ts'
import { metricsQuery } from './admin-queue-contract.ts'
import { parseWith } from './request/parse-with.ts'
import { readJsonBody } from './request/read-body.ts'
import { readQuery } from './request/read-query.ts'

/** What only the process that runs the server can do of these; the wire gives it. */
export interface OperationParts {
  archive: (body: ArchiveBody) => Promise<ArchiveAnswer>
  /** Aborted when the server ends: who waits for an answer is told why. */
  ending: AbortSignal
}

/** The calls of `admin-contract.ts` that are about the installation and its prompts, rather than about one job. */
export function addOperations(app: Hono, execution: Execution, parts: OperationParts): void {
  app.get('/queue-metrics', async (context) => {
    const { org, since } = parseWith(metricsQuery, readQuery(context.req.url), 'The query')
    const filter = {
      ...(org !== undefined && { orgId: org }),
      ...(since !== undefined && { since: new Date(since) }),
    }
    return context.json(await queueMetrics(execution, filter))
  })
  app.get('/idle-status', async (context) => context.json(await idleStatus(execution)))
  app.post('/archive', async (context) =>
    context.json(await parts.archive(await adminBody(archiveBody, context.req.raw))),
  )
  app.post('/ask', async (context) => {
    const request = submitOfAsk(await adminBody(askBody, context.req.raw))
    // Aborted when who asked has gone: that ends the waiting, never the prompt.
    const signal = AbortSignal.any([context.req.raw.signal, parts.ending])
    return context.json(await runPrompt(execution, await ensureOwner(execution), request, signal))
  })
  app.post('/prompts/:id/delete', async (context) => {
    const { actor } = await adminBody(actorBody, context.req.raw)
    await deletePromptAs(execution, idOf(context.req.param()), actor ?? 'operator')
    return context.json({})
  })
  app.post('/threads/:id/delete', async (context) => {
    const { actor } = await adminBody(actorBody, context.req.raw)
    await deleteThreadAs(execution, idOf(context.req.param()), actor ?? 'operator')
    return context.json({})
  })
}

/** A body that is not there is an empty one. */
export async function adminBody<S extends z.ZodMiniType>(schema: S, request: Request): Promise<z.output<S>> {
  return parseWith(schema, (await readJsonBody(request)) ?? {}, 'The body')
}

const idParams = z.strictObject({ id: uuid })

function idOf(params: Record<string, string>): string {
  return parseWith(idParams, params, 'The path').id
}
