import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SubmitOptions } from '../../../shared/submit.ts'
import { failure } from '../../domain/failure.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { cancelPrompt } from '../cancel-prompt.ts'
import { readPrompt } from '../observe/read-prompt.ts'
import { jobDetails } from '../operate-jobs.ts'
import { retryPrompt } from '../retry-prompt.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { testExecution } from '../testing/test-execution.ts'
import { until } from '../testing/until.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

const nul = String.fromCharCode(0)

async function setup() {
  const test = testExecution(db.database)
  const { execution, provider, worker, clock } = test
  const me = await test.person()
  const submit = async (text: string, parentId?: string, options: SubmitOptions = {}): Promise<string> => {
    const place = parentId === undefined ? {} : { parent_id: parentId }
    return (await submitPrompt(execution, me, { text, ...place, options })).prompt_id
  }
  /** Claims and gives the newest call. */
  const claimed = async () => {
    const index = provider.calls.length
    await worker.claimOnce()
    return provider.call(index)
  }
  return {
    ...test,
    me,
    submit,
    claimed,
    detail: (promptId: string) => readPrompt(execution, me, promptId),
    /** Asks and is answered; every prompt a moment later than the one before. */
    async ask(text: string, answer: string, parentId?: string, options?: SubmitOptions): Promise<string> {
      clock.advance(10)
      const id = await submit(text, parentId, options)
      ;(await claimed()).answer(answer)
      await worker.idle()
      return id
    },
  }
}

const user = (text: string) => ({ role: 'user', text })
const assistant = (text: string) => ({ role: 'assistant', text })

describe('the context of a prompt', () => {
  it('is its line from the root, each prompt once with its answer; other branches stay out', async () => {
    const test = await setup()
    const root = await test.ask('Root?', 'Root.')
    const left = await test.ask('Left?', 'Left.', root)
    await test.ask('Right?', 'Right.', root)
    await test.ask('Leaf?', 'Leaf.', left)
    expect(test.provider.calls.at(-1)?.request.turns).toEqual([
      user('Root?'),
      assistant('Root.'),
      user('Left?'),
      assistant('Left.'),
      user('Leaf?'),
    ])
  })

  // R015
  it('holds a prompt once, however often it was tried and retried', async () => {
    const test = await setup()
    const root = await test.ask('Root?', 'Root.')
    const prompt = await test.submit('Again?', root)
    const first = await test.claimed()
    first.options.onDelta('half an ans')
    first.fail({ failure: failure('timeout', 'Slow.') })
    await test.worker.idle()
    test.clock.advance(10_000)
    const second = await test.claimed()
    second.fail({ failure: failure('auth', 'No key.') })
    await test.worker.idle()
    await retryPrompt(test.execution, test.me, prompt)
    const third = await test.claimed()
    for (const call of [first, second, third]) {
      expect(call.request.turns).toEqual([user('Root?'), assistant('Root.'), user('Again?')])
    }
    expect([first, second, third].map((call) => call.request.attempt)).toEqual([1, 2, 1])
    expect(new Set([first, second, third].map((call) => call.request.runKey)).size).toBe(3)
    third.answer('Done')
    await test.worker.idle()
  })

  it('takes the current answer of an ancestor, and leaves out one that has none', async () => {
    const test = await setup()
    const root = await test.ask('Root?', 'Old.')
    await retryPrompt(test.execution, test.me, root)
    ;(await test.claimed()).answer('New.')
    await test.worker.idle()
    await test.ask('Next?', 'Next.', root)
    expect(test.provider.calls.at(-1)?.request.turns).toEqual([
      user('Root?'),
      assistant('New.'),
      user('Next?'),
    ])
  })

  it.each([
    [0, ['Leaf?']],
    [1, ['Left?', 'Left.', 'Leaf?']],
    [2, ['Root?', 'Root.', 'Left?', 'Left.', 'Leaf?']],
    [9, ['Root?', 'Root.', 'Left?', 'Left.', 'Leaf?']],
  ])('of depth %i takes the nearest ancestors', async (depth, texts) => {
    const test = await setup()
    const root = await test.ask('Root?', 'Root.')
    const left = await test.ask('Left?', 'Left.', root)
    await test.ask('Leaf?', 'Leaf.', left, { depth })
    expect(test.provider.calls.at(-1)?.request.turns.map((turn) => turn.text)).toEqual(texts)
  })
})

describe('text received so far', () => {
  const drafts = () =>
    db.database.rows<{ seq: number; text: string }>(sql`select seq, text from draft order by seq`)

  it('is stored at most once a second, in order, and gone once there is an answer', async () => {
    const test = await setup()
    const id = await test.submit('Count')
    const call = await test.claimed()
    call.options.onDelta('one ')
    call.options.onDelta('two ')
    test.clock.advance(999)
    expect(await drafts()).toEqual([])
    test.clock.advance(1)
    call.options.onDelta('three ')
    await until(async () => (await drafts()).length > 0)
    expect(await drafts()).toEqual([{ seq: 0, text: 'one two ' }])
    expect((await test.detail(id)).draft?.text).toBe('one two three ')
    test.clock.advance(1_000)
    await until(async () => (await drafts()).length === 2)
    call.answer('one two three')
    await test.worker.idle()
    expect(await drafts()).toEqual([])
    expect(await test.detail(id)).toMatchObject({
      draft: null,
      partial: null,
      answer: { text: 'one two three' },
    })
    expect(test.clock.armed).toBe(0)
  })

  it('is kept as partial text on a failure, the last bit included, and never as an answer', async () => {
    const test = await setup()
    const id = await test.submit('Count')
    const call = await test.claimed()
    call.options.onDelta('one ')
    test.clock.advance(1_000)
    call.options.onDelta('two')
    call.fail({ failure: failure('parse', 'Cut off.', { retryable: false }) })
    await test.worker.idle()
    expect(await test.detail(id)).toMatchObject({
      view: { state: 'failed', response_id: null, answer_excerpt: null },
      answer: null,
      partial: { run: 1, text: 'one two' },
    })
    expect(await drafts()).toEqual([])
  })

  it('is kept on a cancel as far as it was stored', async () => {
    const test = await setup()
    const id = await test.submit('Count')
    const call = await test.claimed()
    call.options.onDelta('one ')
    test.clock.advance(1_000)
    await until(async () => (await drafts()).length > 0)
    await cancelPrompt(test.execution, test.me, id)
    await test.worker.idle()
    call.options.onDelta('two')
    expect(await test.detail(id)).toMatchObject({ view: { state: 'cancelled' }, partial: { text: 'one ' } })
    expect(await drafts()).toEqual([])
    expect(test.clock.armed).toBe(0)
  })

  it('that arrives after the end is heard by nobody', async () => {
    const test = await setup()
    await test.submit('Count')
    const call = await test.claimed()
    call.answer('Done')
    await test.worker.idle()
    const heard: string[] = []
    test.execution.liveDrafts.subscribe((draft) => heard.push(draft.text))
    call.options.onDelta('late')
    expect(heard).toEqual([])
    expect(test.clock.armed).toBe(0)
  })

  it('is never cut inside a character', async () => {
    const test = await setup()
    const id = await test.submit('Smile')
    const call = await test.claimed()
    call.options.onDelta('a\uD83D')
    test.clock.advance(1_000)
    call.options.onDelta('\uDE00b')
    test.clock.advance(1_000)
    call.fail({ failure: failure('auth', 'No key.') })
    await test.worker.idle()
    expect((await test.detail(id)).partial?.text).toBe('a😀b')
  })
})

// R083
describe('text that PostgreSQL cannot hold', () => {
  const escapeText = String.raw`literal \u0000`

  it('is mended visibly in an answer, wherever it stands; literal escapes stay', async () => {
    const test = await setup()
    const id = await test.submit('Odd')
    ;(await test.claimed()).answer(`a${nul}b \uD83D ${escapeText}`, {
      model: `m${nul}\uD83D`,
      requestId: `r${nul}\uDE00`,
    })
    await test.worker.idle()
    const detail = await test.detail(id)
    expect(detail).toMatchObject({
      view: { state: 'succeeded', model: 'm\uFFFD\uFFFD' },
      answer: { text: `a\uFFFDb \uFFFD ${escapeText}` },
    })
  })

  it('is mended in the text so far and in the words of a failure', async () => {
    const test = await setup()
    const id = await test.submit('Odd')
    const call = await test.claimed()
    call.options.onDelta(`a${nul}b`)
    call.options.onDelta(`c\uDE00${escapeText}`)
    const worded = { ...failure('auth', 'x'), message: `No${nul} key.` }
    call.fail({ failure: worded, requestId: `r${nul}` })
    await test.worker.idle()
    expect(await test.detail(id)).toMatchObject({
      view: { state: 'failed', error_message: 'No\uFFFD key.' },
      partial: { text: `a\uFFFDbc\uFFFD${escapeText}` },
    })
  })

  it('or token counts that are none, do not keep an answer from being stored', async () => {
    const test = await setup()
    const id = await test.submit('Odd')
    ;(await test.claimed()).answer('Fine', { inputTokens: 1.5, outputTokens: Number.NaN })
    await test.worker.idle()
    expect((await test.detail(id)).view).toMatchObject({ state: 'succeeded', tokens: null })
  })
})

describe('the id of a response', () => {
  it('of a provider that repeats its request ids never loses an answer', async () => {
    const test = await setup()
    const answered = async (text: string): Promise<string | null> => {
      ;(await test.claimed()).answer(text, { requestId: 'always-the-same' })
      await test.worker.idle()
      return (await test.detail(id)).view.response_id
    }
    const id = await test.submit('Again')
    const first = await answered('One.')
    await retryPrompt(test.execution, test.me, id)
    const second = await answered('Two.')
    expect(second).not.toBe(first)
    expect((await test.detail(id)).answer?.text).toBe('Two.')
    await retryPrompt(test.execution, test.me, id)
    expect(await answered('One.')).toBe(first)
    const [count] = await db.database.rows<{ n: number }>(
      sql`select count(*) as n from entity where kind = 'response'`,
    )
    expect(count?.n).toBe(2)
  })
})

// R021
describe('a job with odd contents', () => {
  async function oddJob(test: Awaited<ReturnType<typeof setup>>): Promise<string> {
    const id = await test.submit('Odd')
    await db.database.rows(sql`
      update job set provider = 'vanished', model = null, execution_options = '{"depth": "deep", "kind": {"un": "known"}}'
      where prompt_id = ${id}::uuid`)
    await db.database.rows(sql`delete from thread`)
    return id
  }

  it('can be read, cancelled and retried, and runs', async () => {
    const test = await setup()
    const id = await oddJob(test)
    const { view } = await test.detail(id)
    expect(view).toMatchObject({ state: 'queued', thread_title: 'Odd', wait_reason: { code: 'in_line' } })
    expect((await jobDetails(test.execution, view.job_id)).provider).toBe('vanished')
    expect((await cancelPrompt(test.execution, test.me, id)).state).toBe('cancelled')
    expect((await retryPrompt(test.execution, test.me, id)).state).toBe('queued')
    ;(await test.claimed()).answer('Done')
    await test.worker.idle()
    expect((await test.detail(id)).view.state).toBe('succeeded')
  })

  it.each(['null', '[]', '7', '"text"'])('such as options %s runs all the same', async (options) => {
    const test = await setup()
    const id = await oddJob(test)
    await db.database.rows(sql`update job set execution_options = ${options}::text::jsonb`)
    ;(await test.claimed()).answer('Done')
    await test.worker.idle()
    const { view } = await test.detail(id)
    expect(view.state).toBe('succeeded')
    expect(await jobDetails(test.execution, view.job_id)).toMatchObject({ state: 'succeeded' })
  })
})
