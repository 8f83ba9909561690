import { setTimeout as wait } from 'node:timers/promises'
import { cancelResponse, retryResponse } from '../../shared/observe.ts'
import { type Problem, problem } from '../../shared/problem.ts'
import type { PromptView } from '../../shared/prompt-view.ts'
import { type SubmitRequest, submitResponse } from '../../shared/submit.ts'
import type { MissionServer } from './mission-server.ts'

/** What was acknowledged: from here on it has to hold. */
export interface Acknowledged {
  jobId: string
  view: PromptView
}

/** What was refused because of what the prompt is by now. */
export interface Conflict {
  state: string
  jobId: string | null
}

export interface MissionClient {
  /** @param server which one is asked first. */
  submit(request: SubmitRequest, server: number): Promise<Acknowledged>
  cancel(promptId: string, server: number): Promise<Acknowledged | Conflict>
  retry(promptId: string, server: number): Promise<Acknowledged | Conflict>
  /** Requests sent, and of them again because one before was not answered or was refused for an outage. */
  readonly sent: number
  readonly resent: number
  /** Answers of 500: an outage has to be told as one. */
  readonly internalErrors: readonly string[]
}

const answerMs = 5_000
const againMs = 150

/** Whether somebody else had settled the matter. */
export function isConflict(answer: Acknowledged | Conflict): answer is Conflict {
  return !('view' in answer)
}

/**
 * Asks as the page does: what is not answered, or refused because something cannot be reached, is sent again, to the
 * next server, under the same id, until there is a word on it.
 */
export function createMissionClient(servers: readonly MissionServer[]): MissionClient {
  const counts = { sent: 0, resent: 0 }
  const internalErrors: string[] = []

  const post = async (path: string, body: unknown, first: number): Promise<Response> => {
    for (let tries = 0; ; tries += 1) {
      const server = servers[(first + tries) % servers.length]
      if (!server) throw new Error('there is no server to ask')
      counts.sent += 1
      if (tries > 0) counts.resent += 1
      const answer = await once(server, path, body)
      if (answer?.status === 500) internalErrors.push(`${path}: ${await answer.text()}`)
      else if (answer && answer.status !== 503) return answer
      else await answer?.body?.cancel()
      await wait(againMs)
    }
  }

  const act = async (
    promptId: string,
    action: 'cancel' | 'retry',
    server: number,
  ): Promise<Acknowledged | Conflict> => {
    const answer = await post(`/api/v1/prompts/${promptId}/${action}`, undefined, server)
    if (answer.status === 409) {
      const { state, job_id }: Problem = problem.parse(await answer.json())
      return { state: state ?? 'unknown', jobId: job_id ?? null }
    }
    const { job_id, view } = (action === 'cancel' ? cancelResponse : retryResponse).parse(
      await accepted(answer),
    )
    return { jobId: job_id, view }
  }

  return {
    async submit(request, server) {
      const { job_id, view } = submitResponse.parse(
        await accepted(await post('/api/v1/prompt', request, server)),
      )
      return { jobId: job_id, view }
    },
    cancel: (promptId, server) => act(promptId, 'cancel', server),
    retry: (promptId, server) => act(promptId, 'retry', server),
    get sent() {
      return counts.sent
    },
    get resent() {
      return counts.resent
    },
    internalErrors,
  }
}

async function once(server: MissionServer, path: string, body: unknown): Promise<Response | null> {
  try {
    return await server.fetch(path, {
      method: 'POST',
      signal: AbortSignal.timeout(answerMs),
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    })
  } catch {
    return null
  }
}

async function accepted(answer: Response): Promise<unknown> {
  if (!answer.ok) throw new Error(`refused with ${answer.status}: ${await answer.text()}`)
  return answer.json()
}
