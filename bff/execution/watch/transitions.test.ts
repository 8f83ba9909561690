import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { failure } from '../../domain/failure.ts'
import { type JobEvent, transitions } from '../../domain/job-state.ts'
import type { JobMove, RunReport } from '../../domain/watched-facts.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { cancelPrompt } from '../cancel-prompt.ts'
import { reclaimStuckJobs } from '../operate-jobs.ts'
import { retryPrompt } from '../retry-prompt.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { type TestExecution, testExecution } from '../testing/test-execution.ts'
import { createWatch } from './watch.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

const secret = 'Xylophone quartz'
const fault = (kind: 'timeout' | 'auth' | 'rate_limit') => failure(kind, `Not now: ${secret}`)

type Line = Record<string, unknown> & { level: string; message: string }

async function setup(settings: Parameters<typeof testExecution>[1] = {}) {
  const lines: Line[] = []
  const keep = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ ...fields, level, message })
  const log = { info: keep('info'), warn: keep('warn'), error: keep('error') }
  const test = testExecution(db.database, settings)
  const watch = createWatch({ database: db.database, log })
  const moves: JobMove[] = []
  watch.onMove((move) => moves.push(move))
  const me = await test.person()
  return {
    ...test,
    me,
    lines,
    moves,
    async submit(more: object = {}) {
      return submitPrompt(test.execution, me, { text: secret, ...more })
    },
    async claim(call = test.provider.calls.length) {
      await test.worker.claimOnce()
      return test.provider.call(call)
    },
    close: () => watch.close(),
  }
}
type Setup = Awaited<ReturnType<typeof setup>>

/** How each event of the table comes about; afterwards the last move of the log is that event's. */
const ways: Record<JobEvent, (test: Setup, from: string) => Promise<unknown>> = {
  claim: async (test) => {
    await test.submit()
    await test.claim()
  },
  succeed: async (test) => {
    await test.submit()
    ;(await test.claim()).answer(secret)
    await test.worker.idle()
  },
  'retry-later': async (test) => {
    await test.submit()
    ;(await test.claim()).fail({ failure: fault('timeout') })
    await test.worker.idle()
  },
  'wait-for-provider': async (test) => {
    await test.submit()
    ;(await test.claim()).fail({ failure: fault('rate_limit') })
    await test.worker.idle()
  },
  'hand-back': async (test) => {
    await test.submit()
    await test.claim()
    await test.worker.drain(0)
  },
  fail: async (test) => {
    await test.submit()
    ;(await test.claim()).fail({ failure: fault('auth') })
    await test.worker.idle()
  },
  reclaim: async (test) => {
    await test.submit()
    await test.claim()
    await reclaimStuckJobs(test.execution, true)
  },
  'give-up': async (test) => {
    await test.submit({ options: { max_attempts: 1 } })
    await test.claim()
    await reclaimStuckJobs(test.execution, true)
  },
  cancel: async (test, from) => {
    const { prompt_id } = await test.submit()
    if (from === 'running') await test.claim()
    await cancelPrompt(test.execution, test.me, prompt_id)
  },
  supersede: async (test, from) => {
    const { prompt_id } = await test.submit()
    if (from === 'cancelled') await cancelPrompt(test.execution, test.me, prompt_id)
    else if (from === 'succeeded') (await test.claim()).answer(secret)
    else (await test.claim()).fail({ failure: fault('auth') })
    await test.worker.idle()
    await retryPrompt(test.execution, test.me, prompt_id)
  },
}

const wordsOf: Partial<Record<JobEvent, string>> = { reclaim: 'reclaim', 'give-up': 'reclaim' }

test.for(transitions.map((move) => [`${move.event}: ${move.from} → ${move.to}`, move] as const))(
  '%s is one line, and no text of anybody’s',
  async ([, { event, from, to }]) => {
    const test = await setup()
    await ways[event](test, from)
    const ofJob = test.lines.filter((line) => line.from === from && line.to === to)
    expect(ofJob).toHaveLength(1)
    expect(ofJob[0]).toMatchObject({
      message: `job ${to}`,
      job_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      prompt_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      run: expect.any(Number),
      by: wordsOf[event] ?? expect.stringMatching(/./),
    })
    expect(test.lines.length).toBe(test.moves.length)
    expect(JSON.stringify(test.lines)).not.toContain('Xylophone')
    test.close()
    await test.worker.drain(0)
    test.worker.close()
  },
)

test('the whole life of a prompt, in order, with its times and kinds', async () => {
  const test = await setup()
  const { job_id } = await test.submit()
  test.clock.advance(40)
  ;(await test.claim()).fail({ failure: fault('timeout') })
  await test.worker.idle()
  test.clock.advance(5_000)
  const call = await test.claim()
  test.clock.advance(70)
  call.options.onDelta('An')
  test.clock.advance(30)
  call.answer('Answer')
  await test.worker.idle()
  expect(test.lines.map(({ message, run }) => [message, run])).toEqual([
    ['job queued', 0],
    ['job running', 1],
    ['job queued', 1],
    ['job running', 2],
    ['job succeeded', 2],
  ])
  expect(new Set(test.lines.map((line) => line.job_id))).toEqual(new Set([job_id]))
  expect(test.lines[0]).toMatchObject({ from: null, by: test.me.personId })
  expect(test.lines[1]).toMatchObject({ by: 'test-worker', queued_ms: 40, attempt: 1 })
  expect(test.lines[2]).toMatchObject({ error_kind: 'timeout', retry_at: expect.any(String) })
  expect(test.moves[4]).toMatchObject({
    by: 'claim holder',
    provider: 'scripted',
    runMs: 100,
    firstTokenMs: 70,
  })
  test.close()
})

test('followers that are held and released have lines of their own', async () => {
  const test = await setup()
  const first = await test.submit()
  const next = await test.submit({ parent_id: first.prompt_id })
  await cancelPrompt(test.execution, test.me, first.prompt_id)
  await retryPrompt(test.execution, test.me, first.prompt_id)
  ;(await test.claim()).answer('Done')
  await test.worker.idle()
  const ofNext = test.lines.filter((line) => line.job_id === next.job_id)
  expect(ofNext.map(({ message, by }) => [message, by])).toEqual([
    ['job queued', test.me.personId],
    ['job held', 'its predecessor'],
    ['job waiting', 'its predecessor'],
    ['job released', 'its predecessor'],
  ])
  expect(ofNext[1]).toMatchObject({ from: 'queued', to: 'queued', kind: 'job-held' })
  test.close()
})

test('what was rolled back, repeated or refused has no line', async () => {
  const test = await setup()
  const { prompt_id } = await test.submit()
  await test.submit({ prompt_id })
  await expect(retryPrompt(test.execution, test.me, prompt_id)).rejects.toThrow(/nothing to retry/)
  await cancelPrompt(test.execution, test.me, prompt_id)
  await cancelPrompt(test.execution, test.me, prompt_id)
  expect(test.lines.map(({ message }) => message)).toEqual(['job queued', 'job cancelled'])
  test.close()
})

async function ranOnce(test: TestExecution, end: (test: TestExecution) => Promise<void>) {
  const runs: RunReport[] = []
  test.execution.watch.onRun((run) => runs.push(run))
  const me = await test.person()
  await submitPrompt(test.execution, me, { text: secret })
  await test.worker.claimOnce()
  await test.provider.call(0)
  await end(test)
  await test.worker.idle()
  expect(JSON.stringify(runs)).not.toContain('Xylophone')
  expect(runs).toHaveLength(1)
  return runs[0]
}

test('a run is told once it is over, with its steps and its call', async () => {
  const run = await ranOnce(testExecution(db.database), async ({ clock, provider }) => {
    const call = await provider.call(0)
    clock.advance(250)
    call.answer('Answer', { inputTokens: 3, outputTokens: 4, model: 'served' })
  })
  expect(run?.steps.map(({ step, broken }) => [step, broken])).toEqual([
    ['context', false],
    ['call', false],
    ['settle', false],
  ])
  const call = run?.steps[1]
  expect((call?.endedAt.getTime() ?? 0) - (call?.startedAt.getTime() ?? 0)).toBe(250)
  expect(run?.call).toMatchObject({
    provider: 'scripted',
    model: 'script-1',
    servedModel: 'served',
    outputTokens: 4,
    outcome: 'answered',
  })
})

test('a call that was cancelled or failed says so', async () => {
  const failed = await ranOnce(testExecution(db.database), async ({ provider }) => {
    ;(await provider.call(0)).fail({ failure: fault('auth'), requestId: 'req-9' })
  })
  expect(failed?.call).toMatchObject({ outcome: 'auth', requestId: 'req-9' })
  await db.truncate()
  const drained = await ranOnce(testExecution(db.database), ({ worker }) => worker.drain(0))
  expect(drained?.call).toMatchObject({ outcome: 'drain' })
})

test('a watcher that throws harms nobody', async () => {
  const test = await setup()
  test.execution.watch.onMove(() => {
    throw new Error('broken watcher')
  })
  await test.submit()
  ;(await test.claim()).answer('Done')
  await test.worker.idle()
  expect(test.lines.map(({ message }) => message)).toEqual(['job queued', 'job running', 'job succeeded'])
  test.close()
})

test('every statement that records moves of jobs tells of them', () => {
  const store = fileURLToPath(new URL('../../store', import.meta.url))
  const recording = readdirSync(store, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|testing\//.test(path))
    .map((path) => ({ path, text: readFileSync(join(store, path), 'utf8') }))
    .filter(({ text }) => /\$\{recordMoves\(/.test(text))
  expect(recording.length).toBeGreaterThan(8)
  expect(recording.filter(({ text }) => !/tellMoves?\(tx/.test(text)).map(({ path }) => path)).toEqual([])
})
