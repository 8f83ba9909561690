import { randomUUID } from 'node:crypto'
import { endpoints } from '../shared/api.ts'
import { expect, test } from './fixtures.ts'
import { type CutAt, cutSubmit } from './product/cut-request.ts'
import { readStoredRows } from './product/stored-rows.ts'

const cuts: CutAt[] = ['half the body', 'the whole body', 'the first byte of the answer']

test('a client that is gone in the middle of a submit leaves a whole prompt that runs, or nothing', async ({
  mission,
  api,
}) => {
  // R009
  test.setTimeout(240_000)
  const prompts = cuts.flatMap((cutAt) =>
    Array.from({ length: 50 }, (_, index) => ({
      cutAt,
      request: { prompt_id: randomUUID(), text: `Cut ${index} at ${cutAt}` },
    })),
  )
  const ids = (cutAt: CutAt) =>
    prompts.filter((prompt) => prompt.cutAt === cutAt).map(({ request }) => request.prompt_id)

  for (const { cutAt, request } of prompts) await cutSubmit(api, request, cutAt)
  for (const id of ids('the first byte of the answer'))
    await api.until(id, ({ state }) => state === 'succeeded')
  for (const id of ids('half the body'))
    expect((await api.send(endpoints.readPrompt, { params: { prompt_id: id } })).status).toBe(404)
  for (const id of ids('the whole body')) {
    const answer = await api.send(endpoints.readPrompt, { params: { prompt_id: id } })
    if (answer.status === 200) await api.until(id, ({ state }) => state === 'succeeded')
    else expect(answer.status).toBe(404)
  }

  await mission.stop()
  const kept = await readStoredRows(mission.dataDir)
  for (const row of kept.values()) expect(row).toEqual({ state: 'succeeded', jobs: 1, responses: 1 })
  await mission.start()
  for (const { request } of prompts) await api.submit(request.text, request)
  for (const { request } of prompts) await api.until(request.prompt_id, ({ state }) => state === 'succeeded')
  await mission.stop()
  const all = await readStoredRows(mission.dataDir)
  expect([...all.keys()].sort()).toEqual(prompts.map(({ request }) => request.prompt_id).sort())
  for (const row of all.values()) expect(row).toEqual({ state: 'succeeded', jobs: 1, responses: 1 })
})

test('characters that cannot be stored are refused from a client and replaced from a provider', async ({
  api,
  provider,
}) => {
  // R083
  for (const text of ['a\u0000b', 'a\ud800b', '\udc00']) {
    const refused = await api.send(endpoints.submitPrompt, { body: { text } })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ field: 'text', message: expect.any(String) }],
    })
  }

  provider.next((answer) => {
    answer.delta('nul \u0000, high \ud83d')
    answer.delta(', low \udc00, pair \ud83d\ude00, split \ud83d')
    answer.delta('\ude00, literal \\u0000')
    answer.finish()
  })
  const { prompt_id } = await api.submit('Literal \\u0000 and \ud83d\ude00 stay')
  const { text, answer, view } = await api.until(prompt_id, ({ state }) => state === 'succeeded')
  expect(text).toBe('Literal \\u0000 and \ud83d\ude00 stay')
  expect(answer?.text).toBe(
    'nul \ufffd, high \ufffd, low \ufffd, pair \ud83d\ude00, split \ud83d\ude00, literal \\u0000',
  )
  expect(view.attempt).toBe(1)

  provider.next((failing) => failing.fail(400, { error: { message: 'bad \u0000 and \udc00 here' } }))
  const failed = await api.submit('Fail with them')
  const { view: failure } = await api.until(failed.prompt_id, ({ state }) => state === 'failed')
  expect(failure.error_message).toContain('\ufffd')
  expect(failure.error_message).not.toMatch(/[\0\ud800-\udfff]/)
})

test('a stream that is cut in the middle of an answer keeps its words as partial, never as an answer', async ({
  api,
  provider,
}) => {
  // R057
  provider.otherwise((answer) => {
    answer.delta('Half an answ')
    answer.raw('data: {"choices":[{"delta":{"content":"er')
    answer.raw('\n\ndata: {"error":{"message":"the model fell over","code":400}}\n\n')
    answer.response.end()
  })
  const { prompt_id } = await api.submit('Break', { options: { max_attempts: 1 } })
  const { view, answer, partial } = await api.until(prompt_id, ({ state }) => state === 'failed')
  expect(answer).toBeNull()
  expect(view.error_kind).not.toBeNull()
  expect(partial?.text).toBe('Half an answ')
})
