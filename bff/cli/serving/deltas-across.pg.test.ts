import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { hello, jobStateChanged, responseDelta } from '../../../shared/change.ts'
import { sseReader } from '../../http/testing/sse-reader.ts'
import { type TestPostgres, testPostgres } from '../../store/testing/test-postgres.ts'
import { missionIn } from '../testing/mission-process.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await testPostgres()
})
afterAll(() => postgres.close())

/** Starting Node with its TypeScript loader takes seconds on a busy machine. */
const testMs = 400_000

test(
  'real processes: the page of one server shows text as a worker elsewhere receives it, and the whole answer then',
  async () => {
    const mission = missionIn({ DATABASE_URL: postgres.url })
    const [server] = await Promise.all([mission.serve(['--no-worker']), mission.worker()])
    const { origin } = new URL(server.loginUrl)
    const login = await fetch(server.loginUrl, { redirect: 'manual' })
    const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const send = (method: string, path: string, body: unknown) =>
      fetch(`${origin}/api/v1${path}`, {
        method,
        headers: { cookie, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const events = sseReader(await fetch(`${origin}/api/v1/mission/events`, { headers: { cookie } }))
    const { stream_id } = hello.parse((await events.next())?.data)
    const submitted = await send('POST', '/prompt', { text: 'Tell', options: { model: 'practice-long' } })
    const { prompt_id } = z.object({ prompt_id: z.string() }).parse(await submitted.json())
    await send('PUT', `/mission/streams/${stream_id}/shown`, { prompt_ids: [prompt_id] })

    let [text, pieces, seq] = ['', 0, -1]
    for (let over = false; !over; ) {
      const event = await events.next()
      if (event?.event === 'response.delta') {
        const delta = responseDelta.parse(event.data)
        expect(delta.seq).toBe(seq + 1)
        seq = delta.seq
        text = delta.whole ? delta.text : text + delta.text
        if (delta.text !== '') pieces += 1
      } else if (event?.event === 'job.state_changed') {
        over = jobStateChanged.parse(event.data).state === 'succeeded'
      }
      if (event === null) throw new Error('the stream ended')
    }
    await events.leave()
    const response = await fetch(`${origin}/api/v1/prompts/${prompt_id}`, { headers: { cookie } })
    const read = z.object({ answer: z.object({ text: z.string() }) }).parse(await response.json())
    expect(pieces).toBeGreaterThan(10)
    expect(text.length).toBeGreaterThan(100)
    expect(read.answer.text.startsWith(text)).toBe(true)
  },
  testMs,
)
