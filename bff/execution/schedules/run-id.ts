import { v5 as uuidV5 } from 'uuid'

/** Our own namespace for runs of recurring prompts (RFC 9562 §5.5); changing it would let one planned time run twice. */
const namespace = '5b0a3d52-70f1-5c2e-8d0c-93a1f6f0b7c4'

/** The prompt that a planned time makes: always the same, so that no two processes, and no crash, can make two of it. */
export function runId(scheduleId: string, planned: Date): string {
  return uuidV5(`${scheduleId} ${planned.toISOString()}`, namespace)
}
