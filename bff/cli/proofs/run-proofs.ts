import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../../store/database/database.ts'
import { asyncExecution } from './async-execution.ts'
import { concurrentSafety } from './concurrent-safety.ts'
import { heartbeat } from './heartbeat.ts'
import { priorityQueue } from './priority-queue.ts'
import type { Proof, ProofReport } from './proof.ts'
import { retry } from './retry.ts'
import { CurtainError, createStage } from './stage.ts'

/** The five proofs, in the order in which `all` plays them. */
export const proofs: readonly Proof[] = [asyncExecution, priorityQueue, retry, heartbeat, concurrentSafety]

/**
 * Plays one proof on `database`, which must be a migrated scratch one: it writes and settles prompts of its own.
 * An error that nobody expected is something that was seen, and the proof does not hold.
 */
export async function runProof({ name, says, play }: Proof, database: Database): Promise<ProofReport> {
  const startedMs = performance.now()
  const stage = await createStage(database)
  try {
    await withinPatience(play(stage))
  } catch (error) {
    if (!(error instanceof CurtainError)) stage.see('the proof plays to its end', 'no error', wordsOf(error))
  } finally {
    await stage.clear()
  }
  const steps = [...stage.steps]
  const ok = steps.length > 0 && steps.every((step) => step.ok)
  return { name, says, ok, ms: Math.round(performance.now() - startedMs), steps }
}

/** An engine that is broken may never answer; and a process that only waits for that would end. */
const patienceMs = 60_000

async function withinPatience(playing: Promise<void>): Promise<void> {
  const overdue = new AbortController()
  const late = wait(patienceMs, undefined, overdue).then(() => {
    throw new Error(`it did not end within ${patienceMs / 1_000} s`)
  })
  late.catch(() => {})
  try {
    await Promise.race([playing, late])
  } finally {
    overdue.abort()
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
