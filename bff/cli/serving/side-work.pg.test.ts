import { afterAll, beforeAll, expect, test } from 'vitest'
import { practiceProvider } from '../../adapters/practice/practice-provider.ts'
import { signalTopics } from '../../domain/signals.ts'
import { readPrompt } from '../../execution/observe/read-prompt.ts'
import { openStream } from '../../execution/observe/streams.ts'
import { ensureOwner } from '../../execution/sessions.ts'
import { submitPrompt } from '../../execution/submit-prompt.ts'
import { until } from '../../execution/testing/until.ts'
import { type TestPostgres, testPostgres } from '../../store/testing/test-postgres.ts'
import { inProcess } from '../testing/in-process.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await testPostgres()
})
afterAll(() => postgres.close())

const provider = practiceProvider({ paceScale: 0 })

// R023
test('a prompt is done when its answer is stored, though every listener and reader beside it hangs', async () => {
  const { execution, worker } = await inProcess(postgres.url, { provider, concurrency: 1 })
  const owner = await ensureOwner(execution)
  let heard = 0
  for (const topic of signalTopics) {
    // What a listener starts is its own affair: nobody waits for it.
    execution.database.signals.subscribe(topic, () => {
      heard += 1
      return new Promise<void>(() => {})
    })
  }
  const leave = new AbortController()
  // A client that opens a stream and never reads from it.
  await openStream(execution, owner, { signal: leave.signal })

  for (const text of ['One', 'Two', 'Three']) {
    const { prompt_id } = await submitPrompt(execution, owner, { text })
    await until(async () => (await readPrompt(execution, owner, prompt_id)).view.state === 'succeeded')
    await until(() => worker.running === 0)
  }
  expect(heard).toBeGreaterThan(0)
  leave.abort()
})

// R023
test('telling other processes may hang: the record says done, and the worker goes on', async () => {
  const release = { all: (): void => {} }
  const released = new Promise<void>((resolve) => {
    release.all = resolve
  })
  let hangs = false
  let held = 0
  const submitter = await inProcess(postgres.url, { provider, concurrency: 1 })
  const owner = await ensureOwner(submitter.execution)
  await submitter.worker.drain(0)
  const { worker } = await inProcess(postgres.url, {
    provider,
    concurrency: 1,
    interpose: (own) => ({
      ...own,
      rows: async (statement) => {
        if (hangs && /pg_notify/.test(JSON.stringify(statement.queryChunks))) {
          held += 1
          await released
        }
        return own.rows(statement)
      },
    }),
  })
  hangs = true
  for (const text of ['One', 'Two', 'Three']) {
    const { prompt_id } = await submitPrompt(submitter.execution, owner, { text })
    await until(
      async () => (await readPrompt(submitter.execution, owner, prompt_id)).view.state === 'succeeded',
    )
    await until(() => worker.running === 0)
  }
  expect(held).toBeGreaterThan(0)
  release.all()
})
