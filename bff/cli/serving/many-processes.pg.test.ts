import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cancelPrompt } from '../../execution/cancel-prompt.ts'
import { submitPrompt } from '../../execution/submit-prompt.ts'
import type { ScriptedProvider } from '../../execution/testing/scripted-provider.ts'
import { until } from '../../execution/testing/until.ts'
import { cutListeners } from '../../store/testing/joined-process.ts'
import { type TestPostgres, testPostgres } from '../../store/testing/test-postgres.ts'
import { joinedExecution } from '../testing/joined-execution.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await testPostgres()
})
beforeEach(() => postgres.truncate())
afterAll(() => postgres.close())

/** Two servers and, elsewhere, a worker. */
async function setup() {
  const [a, b, elsewhere] = [
    await joinedExecution(postgres.url, { worker: false }),
    await joinedExecution(postgres.url, { worker: false }),
    await joinedExecution(postgres.url, { worker: true }),
  ]
  return { a, b, elsewhere, me: await a.person() }
}

describe('two servers and a worker', () => {
  it('every server shows what the worker does', async () => {
    const { a, b, elsewhere, me } = await setup()
    const followers = [await a.follow(me), await b.follow(me)]
    const { prompt_id } = await submitPrompt(a.execution, me, { text: 'Ask' })
    for (const follower of followers) await follower.state(prompt_id, 'running')
    const call = await elsewhere.provider.call(0)
    call.answer('Done')
    for (const follower of followers) await follower.state(prompt_id, 'succeeded')
  })

  it('a cancel on one server ends the call in the worker', async () => {
    const { a, elsewhere, me } = await setup()
    const { prompt_id } = await submitPrompt(a.execution, me, { text: 'Ask' })
    const { options } = await elsewhere.provider.call(0)
    const aborted = new Promise((resolve) => options.signal.addEventListener('abort', resolve))
    await cancelPrompt(a.execution, me, prompt_id)
    await aborted
    expect(options.signal.reason).toBe('cancelled')
  })

  it('a cancel that the worker could not hear ends the call once it hears again', async () => {
    const { a, elsewhere, me } = await setup()
    const { prompt_id } = await submitPrompt(a.execution, me, { text: 'Ask' })
    const { options } = await elsewhere.provider.call(0)
    const aborted = new Promise((resolve) => options.signal.addEventListener('abort', resolve))
    await cutListeners(postgres.database)
    await cancelPrompt(a.execution, me, prompt_id)
    await aborted
    // Not by a signal, but by a beat, whose own time is half a minute later.
    expect(options.signal.reason).toBe('lost')
  })

  it('a worker that never hears anything looks by itself', async () => {
    const a = await joinedExecution(postgres.url, { worker: false })
    const me = await a.person()
    const deaf = await joinedExecution(postgres.url, {
      worker: true,
      probeMs: 20,
      pollMs: 100,
      listen: async () => ({ close: async () => {} }),
    })
    const { prompt_id } = await submitPrompt(a.execution, me, { text: 'Ask' })
    const { options } = await deaf.provider.call(0)
    const aborted = new Promise((resolve) => options.signal.addEventListener('abort', resolve))
    await cancelPrompt(a.execution, me, prompt_id)
    await aborted
    expect(options.signal.reason).toBe('lost')
  })

  it('text arrives whole and in order, however long, and whatever happens to the connections', async () => {
    const { a, b, elsewhere, me } = await setup()
    const early = await b.follow(me)
    const { prompt_id } = await submitPrompt(a.execution, me, { text: 'Ask' })
    early.show([prompt_id])
    const other = await submitPrompt(a.execution, me, { text: 'Ask too' })
    const calls = [await elsewhere.provider.call(0), await elsewhere.provider.call(1)]
    const [first, second] =
      calls[0]?.request.runKey.startsWith(other.job_id) === true ? [calls[1], calls[0]] : calls
    let whole = ''
    const say = (text: string): void => {
      whole += text.replaceAll('\u0000', '\uFFFD')
      first?.options.onDelta(text)
    }
    say('Hello \u0000')
    second?.options.onDelta('Not shown, but counted')
    await until(() => early.text(prompt_id) === whole)
    // Longer than a NOTIFY holds, with a character of four bytes at every edge, and half of one at the end.
    say(`${'😀'.repeat(3_000)}${'ü€'.repeat(4_000)}\ud83d`)
    await until(() => early.text(prompt_id) === whole.slice(0, -1))
    say('\ude00')
    await until(() => early.text(prompt_id) === whole)
    const late = await a.follow(me, [prompt_id])
    await until(() => late.text(prompt_id) === whole)
    for (let round = 0; round < 3; round += 1) {
      say(`\nbefore ${round} 😀`)
      await cutListeners(postgres.database)
      say(`\nafter ${round} 😀`)
      await until(() => early.text(prompt_id) === whole && late.text(prompt_id) === whole)
    }
    expect(early.text(other.prompt_id)).toBe('')
    const counts = early.items.flatMap(({ event, data }) =>
      event === 'response.delta' && data.prompt_id === other.prompt_id ? [data.tokens] : [],
    )
    expect(counts.at(-1)).toBe(6)
    first?.answer('Done')
    await early.state(prompt_id, 'succeeded')
    await until(() => b.execution.liveDrafts.get(first?.request.runKey.split(':')[0] ?? '') === undefined)
  })

  it('every job is begun, however often nobody could be heard meanwhile', async () => {
    const { a, elsewhere, me } = await setup()
    answerAll(elsewhere.provider)
    const rounds = 20
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all([
        cutListeners(postgres.database),
        submitPrompt(a.execution, me, { text: `While ${round} is cut` }),
        submitPrompt(a.execution, me, { text: `And another ${round}` }),
      ])
      await submitPrompt(a.execution, me, { text: `After ${round} was cut` })
    }
    await until(async () => (await jobs('succeeded')).length === 3 * rounds)
    const waits = (await jobs('succeeded')).map(({ waited_ms }) => waited_ms)
    // The connection is back within a second.
    expect(Math.max(...waits)).toBeLessThan(3_000)
  })

  it('run no statement while nothing is due, with streams open and a job for later', async () => {
    const { a, b, me } = await setup()
    await joinedExecution(postgres.url, { worker: true })
    const followers = [await a.follow(me), await b.follow(me)]
    const scheduled_for = new Date(Date.now() + 3_600_000).toISOString()
    const { prompt_id } = await submitPrompt(a.execution, me, { text: 'Later', options: { scheduled_for } })
    for (const follower of followers) await follower.state(prompt_id, 'queued')
    await untilQuiet()
    const before = await statementsSeen()
    const passed = new Promise((resolve) => setTimeout(resolve, idleMs))
    await passed
    expect(await statementsSeen()).toEqual(before)
    expect(before.length).toBeGreaterThan(8)
  })
})

const idleMs = 20_000

/** When each process last sent a statement, as the server saw it. */
async function statementsSeen(): Promise<object[]> {
  return postgres.database.rows(sql`
    select pid, query_start::text, left(query, 60) as query from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() order by pid`)
}

/** What was still to be done is done once the server has seen no statement for a second. */
async function untilQuiet(): Promise<void> {
  await until(async () => {
    const [last] = await postgres.database.rows<{ quiet: boolean }>(sql`
      select coalesce(max(query_start) < clock_timestamp() - interval '1 s', true) as quiet, pg_sleep(0.1)
      from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`)
    return last?.quiet === true
  })
}

async function jobs(state: string): Promise<{ waited_ms: number }[]> {
  return postgres.database.rows(sql`
    select (extract(epoch from started_at - created_at) * 1000)::float as waited_ms from job where state = ${state}`)
}

function answerAll(provider: ScriptedProvider): void {
  provider.run = async ({ model }) => ({
    ok: true,
    text: 'Done',
    finishReason: 'stop',
    model,
    requestId: null,
    inputTokens: null,
    outputTokens: null,
  })
}
