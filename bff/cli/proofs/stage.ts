import { setTimeout as wait } from 'node:timers/promises'
import type { SubmitOptions, SubmitResponse } from '../../../shared/submit.ts'
import { agingMsDefault } from '../../domain/claim-order.ts'
import { defaultDeadlines } from '../../domain/deadlines.ts'
import type { Log } from '../../domain/ports.ts'
import { createWorker, type Worker } from '../../execution/attempt/worker.ts'
import { closeExecution, createExecution, type Execution, type Scope } from '../../execution/context.ts'
import { cancelJob, type JobDetails, jobDetails, listJobs } from '../../execution/operate-jobs.ts'
import { ensureOwner } from '../../execution/sessions.ts'
import { submitPrompt } from '../../execution/submit-prompt.ts'
import type { Database } from '../../store/database/database.ts'
import { type ProofClock, proofClock } from './proof-clock.ts'
import type { ProofStep } from './proof-step.ts'
import { type ScriptedCall, type ScriptedProvider, scriptedProvider } from './scripted-provider.ts'

/** What stands for one process: the engine with a worker of its own, on the database that all share. */
export interface StageProcess {
  execution: Execution
  worker: Worker
}

/**
 * Where a proof plays: the real engine with its real deadlines on a real database; only the clock and the provider are
 * the proof's. What it saw is read back from the database, never remembered.
 */
export interface Stage {
  readonly clock: ProofClock
  readonly provider: ScriptedProvider
  readonly owner: Scope
  readonly steps: readonly ProofStep[]
  /** A process more; its worker claims when it is told to. */
  process(workerId: string, concurrency?: number): StageProcess
  submit(text: string, options?: SubmitOptions): Promise<SubmitResponse>
  job(jobId: string): Promise<JobDetails>
  /** Notes what was seen; `ok` is said where it is more than sameness. */
  see(what: string, expected: string, seen: unknown, ok?: boolean): void
  /** Waits until the job is in this state, and notes how it is then. @throws CurtainError when it never gets there. */
  becomes(jobId: string, state: string, what: string): Promise<JobDetails>
  /** The n-th call to the provider, from 0. @throws CurtainError when it is not made. */
  call(index: number): Promise<ScriptedCall>
  /** Lets a worker claim, and waits for the first call that comes of it. */
  nextCall(worker: Worker): Promise<ScriptedCall>
  /** Until no statement has run for a moment: what time set off has come to its end. */
  settled(): Promise<void>
  /** Leaves nothing behind that the next proof could meet. */
  clear(): Promise<void>
}

/** The proof cannot go on; what it waited for is among its steps. */
export class CurtainError extends Error {}

const patienceMs = 10_000
const lookMs = 5
const calmMs = 20
const silent: Log = { info() {}, warn() {}, error() {} }

export async function createStage(database: Database): Promise<Stage> {
  const clock = proofClock(new Date())
  const provider = scriptedProvider()
  const steps: ProofStep[] = []
  const processes: StageProcess[] = []
  const server = engine(database, clock, provider)
  const owner = await ensureOwner(server)

  const see: Stage['see'] = (what, expected, seen, ok) => {
    const words = String(seen)
    steps.push({ what, expected, seen: words, ok: ok ?? words === expected })
  }
  const job = (jobId: string) => jobDetails(server, jobId)
  const call = async (index: number): Promise<ScriptedCall> => {
    await until(() => provider.calls.length > index)
    const made = provider.calls[index]
    if (made) return made
    see('calls to the provider', `at least ${index + 1}`, provider.calls.length, false)
    throw new CurtainError()
  }

  return {
    clock,
    provider,
    owner,
    steps,
    job,
    see,
    process(workerId, concurrency = server.settings.concurrency) {
      const execution = engine(database, clock, provider)
      const made = { execution, worker: createWorker(execution, { workerId, concurrency }) }
      processes.push(made)
      return made
    },
    submit: (text, options = {}) => submitPrompt(server, owner, { text, options }),
    async becomes(jobId, state, what) {
      let now = await job(jobId)
      await until(async () => {
        now = await job(jobId)
        return now.state === state
      })
      see(what, state, now.state)
      if (now.state !== state) throw new CurtainError()
      return now
    },
    call,
    async nextCall(worker) {
      const before = provider.calls.length
      await worker.claimOnce()
      return call(before)
    },
    async settled() {
      for (let before = -1; before !== database.statementCount(); ) {
        before = database.statementCount()
        await wait(calmMs)
      }
    },
    async clear() {
      for (const state of ['queued', 'running']) {
        const open = await listJobs(server, { state, limit: 500 })
        for (const { job_id } of open) await cancelJob(server, job_id, 'proof').catch(() => {})
      }
      for (const { worker } of processes) worker.close()
      for (const { execution } of processes) await closeExecution(execution)
      await closeExecution(server)
    },
  }
}

/** Looks again and again, for a moment: what is waited for is work under way, never the passing of the proof's time. */
async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + patienceMs
  while (!(await done()) && performance.now() < giveUpAt) await wait(lookMs)
}

function engine(database: Database, clock: ProofClock, provider: ScriptedProvider): Execution {
  return createExecution({
    database,
    clock,
    log: silent,
    version: 'proof',
    providers: {
      default: () => ({ provider, model: provider.defaultModel }),
      list: () => [provider],
      byId: (id) => (id === provider.id ? provider : undefined),
      found: null,
    },
    settings: {
      deadlines: defaultDeadlines,
      agingMs: agingMsDefault,
      backoffScale: 1,
      concurrency: 8,
      orgConcurrency: 8,
      drainMs: 10_000,
      eventCoalesceMs: 0,
      submitsPerMinute: 1_000_000,
    },
  })
}
