import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { describe, expect, it } from 'vitest'
import { failure } from '../../domain/failure.ts'
import { brokenInvariants } from '../../store/testing/model/broken-invariants.ts'
import { readBothHistories } from '../../store/testing/model/replay-history.ts'
import type { TestDatabase } from '../../store/testing/test-database.ts'
import { cancelPrompt } from '../cancel-prompt.ts'
import type { Scope } from '../context.ts'
import { reclaimStuckJobs } from '../operate-jobs.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { type MortalDatabase, mortalDatabase } from './mortal-database.ts'
import type { ScriptedCall } from './scripted-provider.ts'
import { type TestExecution, testExecution } from './test-execution.ts'
import { turn } from './until.ts'

interface Life extends TestExecution {
  me: Scope
  promptId: string
  quiet: () => Promise<void>
}

/** How an attempt goes on once its call was made, and how the prompt must end, whenever the process dies. */
interface Ending {
  name: string
  outcome: 'succeeded' | 'failed' | 'cancelled'
  goOn(life: Life, call: ScriptedCall): Promise<void>
  /** What the person does again after the restart, having had no answer perhaps. */
  again?(life: Life): Promise<unknown>
  /** What the provider says to the process that was started anew. */
  reply(call: ScriptedCall): void
}

const answerSecond = (call: ScriptedCall): void => call.answer('Second.', { requestId: 'r2' })

const endings: Ending[] = [
  {
    name: 'an answer',
    outcome: 'succeeded',
    goOn: async ({ worker }, call) => {
      call.answer('First.', { requestId: 'r1' })
      await worker.idle()
    },
    reply: answerSecond,
  },
  {
    name: 'a failure that is tried again, and the answer of that',
    outcome: 'succeeded',
    goOn: async (life, call) => {
      call.fail({ failure: failure('timeout', 'Slow.') })
      await answerNext(life, 10_000)
    },
    reply: answerSecond,
  },
  {
    name: 'a limit of the provider, and the probe after it',
    outcome: 'succeeded',
    goOn: async (life, call) => {
      call.fail({ failure: failure('rate_limit', 'Later.', { retryAfterMs: 30_000 }) })
      await answerNext(life, 30_000)
    },
    reply: answerSecond,
  },
  {
    name: 'a failure for good',
    outcome: 'failed',
    goOn: async ({ worker }, call) => {
      call.fail({ failure: failure('auth', 'No key.') })
      await worker.idle()
    },
    reply: (call) => call.fail({ failure: failure('auth', 'No key.') }),
  },
  {
    name: 'a cancel',
    outcome: 'cancelled',
    goOn: async (life) => {
      await cancelPrompt(life.execution, life.me, life.promptId)
      await life.worker.idle()
    },
    again: ({ execution, me, promptId }) => cancelPrompt(execution, me, promptId),
    reply: answerSecond,
  },
  {
    name: 'a drain',
    outcome: 'succeeded',
    goOn: async ({ worker, clock }) => {
      const drained = worker.drain(8_000)
      await turn()
      clock.advance(2_000)
      await drained
    },
    reply: answerSecond,
  },
]

/**
 * Lets a process die at every single point that it passes between a submit and the end of the attempt: before and after
 * each access, and after each statement of each transaction. The points are found by counting a run that survives.
 */
export function crashPointsConformance(open: () => TestDatabase, timeoutMs: number): void {
  describe('a process that dies at any point', () => {
    it.each(endings)(
      'on the way to $name leaves one answer and one outcome after a restart',
      {
        timeout: timeoutMs,
      },
      async (ending) => {
        const points = await surviving(open(), ending)
        expect(points).toBeGreaterThan(20)
        const texts: (string | null)[] = []
        const partials = new Set<string | null>()
        for (let point = 0; point < points; point++) {
          const { text, partial } = await dyingAt(open(), ending, point)
          texts.push(text)
          partials.add(partial)
        }
        // From some point on the first answer is stored, and never again another one instead.
        if (ending.outcome === 'succeeded')
          expect(texts).toEqual(texts.toSorted((a, b) => (a === b ? 0 : a === 'Second.' ? -1 : 1)))
        else expect(new Set(texts)).toEqual(new Set([null]))
        expect(partials).toEqual(new Set([null, 'half']))
      },
    )
  })
}

/** @returns how many points a process passes that does not die. */
async function surviving(db: TestDatabase, ending: Ending): Promise<number> {
  await db.truncate()
  const mortal = mortalDatabase(db.database)
  await live(await born(db, mortal), ending)
  await mortal.quiet()
  const points = mortal.passed()
  return points
}

async function dyingAt(db: TestDatabase, ending: Ending, point: number): Promise<Stored> {
  await db.truncate()
  const mortal = mortalDatabase(db.database, point)
  const first = await born(db, mortal)
  await Promise.race([live(first, ending), mortal.died])
  await mortal.quiet()
  first.worker.close()

  const second = {
    ...first,
    ...testExecution(db.database, {}, { clock: first.clock, workerId: 'after the restart' }),
  }
  await submitAsk(second)
  await reclaimStuckJobs(second.execution, true)
  await ending.again?.(second)
  let calls = 0
  for (let tries = 0; tries < 2; tries++) {
    second.clock.advance(60_000)
    const { claimed } = await second.worker.claimOnce()
    if (claimed > 0) ending.reply(await second.provider.call(calls++))
    await second.worker.idle()
  }
  second.worker.close()
  return expectOneOutcome(db, ending, point)
}

async function born(db: TestDatabase, mortal: MortalDatabase): Promise<Life> {
  const me = await testExecution(db.database).person()
  return { ...testExecution(mortal.database), me, promptId: uuidV7(), quiet: mortal.quiet }
}

/** From the submit to the end of the attempt, a piece of text in between. */
async function live(life: Life, ending: Ending): Promise<void> {
  await submitAsk(life)
  await life.worker.claimOnce()
  const call = await life.provider.call(0)
  call.options.onDelta('half')
  life.clock.advance(1_000)
  await life.quiet()
  await ending.goOn(life, call)
}

function submitAsk({ execution, me, promptId }: Life) {
  return submitPrompt(execution, me, { prompt_id: promptId, text: 'Ask' })
}

/** Waits for the attempt's end, then for its next time, and answers. */
async function answerNext({ worker, clock, provider }: Life, afterMs: number): Promise<void> {
  await worker.idle()
  clock.advance(afterMs)
  await worker.claimOnce()
  ;(await provider.call(1)).answer('First.', { requestId: 'r1' })
  await worker.idle()
}

interface Stored {
  text: string | null
  partial: string | null
}

async function expectOneOutcome(db: TestDatabase, { outcome }: Ending, point: number): Promise<Stored> {
  const where = `at point ${point}`
  const [stored] = await db.database.rows<Record<string, number> & Stored>(sql`
    select (select count(*) from job) as jobs, (select count(*) from job where outcome = ${outcome}) as ended,
      (select count(*) from event where kind in ('job-succeeded', 'job-failed', 'job-cancelled')) as ends,
      (select count(*) from entity where kind = 'response') as responses,
      (select count(*) from edge where kind = 'flows-to') as edges, (select count(*) from draft) as drafts,
      (select count(*) from job where permit is not null) as permits, (select count(*) from provider_gate) as gates,
      (select max(body) from entity where kind = 'response') as text,
      (select max(partial_text) from ledger) as partial`)
  const answers = outcome === 'succeeded' ? 1 : 0
  expect(stored, where).toMatchObject({
    jobs: 1,
    ended: 1,
    ends: 1,
    responses: answers,
    edges: answers,
    drafts: 0,
    permits: 0,
    gates: 0,
  })
  expect(await brokenInvariants(db.database), where).toEqual([])
  const { rows, told } = await readBothHistories(db.database)
  expect(told, where).toEqual(rows)
  return { text: stored?.text ?? null, partial: stored?.partial ?? null }
}
