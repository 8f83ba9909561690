import { v5 as uuidV5 } from 'uuid'

/** Our own namespace for response ids (RFC 9562 §5.5); changing it would make every old answer new. */
const namespace = 'b6f4c0de-6a0b-5f1e-9c55-5a1d0f1e1d00'

/**
 * Deterministic, so that the same answer written twice collides and is discarded quietly: from the prompt and the
 * provider's request id where there is one, else from the job and its run (DESIGN §5).
 */
export function responseId(facts: {
  promptId: string
  jobId: string
  run: number
  requestId: string | null
}): string {
  return facts.requestId === null
    ? uuidV5(`${facts.jobId}:${facts.run}`, namespace)
    : uuidV5(`${facts.promptId}:${facts.requestId}`, namespace)
}
