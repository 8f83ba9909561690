import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startControl } from '../control/start-control.ts'
import { until } from '../execution/testing/until.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { sseReader } from './testing/sse-reader.ts'
import { testHttp, testOrigin } from './testing/test-http.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

// R025
it('ten prompts of three threads are all answered, in order within each, after the tab was closed', async () => {
  const http = testHttp(db.database)
  const { cookie } = await http.visitor()
  const tab = sseReader(
    await http.app.request(`${testOrigin}/api/v1/mission/events`, { headers: { cookie } }),
  )
  await tab.next()
  const leaves: (string | undefined)[] = [undefined, undefined, undefined]
  const made: string[] = []
  for (let index = 0; index < 10; index++) {
    const parent_id = leaves[index % 3]
    const body = { text: `${index}`, ...(parent_id && { parent_id }) }
    const { prompt_id } = await http.json('/api/v1/prompt', { method: 'POST', cookie, body })
    leaves[index % 3] = String(prompt_id)
    made.push(String(prompt_id))
  }
  await tab.leave()
  await until(() => http.execution.streams.size === 0)

  const control = startControl(http.execution, http.worker, { reclaimFormerSelf: false })
  await control.ready
  for (let index = 0; index < 10; index++) (await http.provider.call(index)).answer('Yes.')
  await http.worker.idle()
  const field = await http.json('/api/v1/mission/field', { cookie })
  expect(field).toMatchObject({ ids: made, totals: { succeeded: 10 } })
  const asked = http.provider.calls.map(({ request }) => Number(request.turns.at(-1)?.text))
  for (const thread of [0, 1, 2]) {
    const order = asked.filter((index) => index % 3 === thread)
    expect(order).toEqual([...order].sort((a, b) => a - b))
  }
  await control.stop()
})
