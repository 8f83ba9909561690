import * as z from 'zod/mini'
import type { Signal } from '../../../../domain/signals.ts'

/** What all processes on one database listen to. */
export const signalChannel = 'mission_field_signals'

/** PostgreSQL takes less than 8,000 bytes; a signal with its job's id has about 80. */
const signalsMax = 60

const payload = z.object({
  origin: z.string(),
  signals: z.array(
    z.union([
      z.object({ topic: z.literal('job-cancelled'), jobId: z.string() }),
      z.object({ topic: z.enum(['job-queued', 'deadlines', 'events', 'gates', 'schedules']) }),
    ]),
  ),
})

/** `signals` in as many payloads as they need; no signals are one empty payload, which is a probe. */
export function signalPayloads(origin: string, signals: readonly Signal[]): string[] {
  const count = Math.max(1, Math.ceil(signals.length / signalsMax))
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({ origin, signals: signals.slice(index * signalsMax, (index + 1) * signalsMax) }),
  )
}

/** Null for what no process of this version sent. */
export function readPayload(text: string): { origin: string; signals: readonly Signal[] } | null {
  try {
    return payload.parse(JSON.parse(text))
  } catch {
    return null
  }
}
