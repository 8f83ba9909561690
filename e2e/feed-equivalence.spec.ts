import { EventSource } from 'eventsource'
import * as z from 'zod/mini'
import { endpoints } from '../shared/api.ts'
import { sseEvents } from '../shared/change.ts'
import { urlOf } from '../shared/endpoint.ts'
import type { PromptView } from '../shared/prompt-view.ts'
import { expect, test } from './fixtures.ts'
import type { MissionApi } from './product/mission-api.ts'
import { seededRandom } from './product/seeded-random.ts'

const operations = 100
const viewsAtOnce = 100

test.use({ settings: { MISSION_WORKER_CONCURRENCY: '4' } })

test('who follows the events and who only polls come to the same state', async ({ api, provider }) => {
  const random = seededRandom(20_251)
  provider.otherwise(async (answer) => {
    const fate = random.below(4)
    if (fate === 0) return answer.fail(400)
    if (fate === 1) return answer.hangUp()
    answer.delta('Some ')
    await new Promise((resolve) => setTimeout(resolve, random.below(60)))
    answer.delta('words')
    answer.finish()
  })
  const { cursor } = await api.call(endpoints.readRecent)
  const stream = follow(api, cursor)
  const polls = poll(api, cursor)

  const ids: string[] = []
  for (let index = 0; index < operations; index += 1) {
    const id = ids[random.below(ids.length)]
    const kind = random.below(3)
    if (id === undefined || kind === 0) {
      const parent = random.below(2) === 0 ? undefined : id
      const { prompt_id } = await api.submit(`Operation ${index}`, { ...(parent && { parent_id: parent }) })
      ids.push(prompt_id)
    } else {
      const action = kind === 1 ? endpoints.cancelPrompt : endpoints.retryPrompt
      const answer = await api.send(action, { params: { prompt_id: id } })
      expect([200, 202, 409]).toContain(answer.status)
      await answer.arrayBuffer()
    }
  }

  await expect
    .poll(async () => [...(await readAll(api, ids)).values()].every(isAtRest), { timeout: 60_000 })
    .toBe(true)
  const truth = await readAll(api, ids)
  await expect.poll(() => stream.rows, { timeout: 10_000 }).toEqual(truth)
  await expect.poll(() => polls.rows, { timeout: 10_000 }).toEqual(truth)
  expect(stream.events()).toBeGreaterThan(ids.length)
  expect(polls.rounds()).toBeGreaterThan(3)
  stream.close()
  await polls.stop()
})

/** Settled, or waiting for a predecessor that never answers; whoever waits for one that may is not the only one. */
function isAtRest({ state, wait_reason }: PromptView): boolean {
  if (state === 'running') return false
  return state !== 'queued' || ['held', 'after'].includes(wait_reason?.code ?? '')
}

interface Merged {
  /** By prompt; a lower or equal revision changes nothing. */
  rows: Map<string, PromptView>
}

function merge(rows: Merged['rows'], view: PromptView): void {
  if (view.revision > (rows.get(view.prompt_id)?.revision ?? -1)) rows.set(view.prompt_id, view)
}

function follow({ url, cookie }: MissionApi, since: string) {
  const rows: Merged['rows'] = new Map()
  let events = 0
  const source = new EventSource(`${url}${urlOf(endpoints.followEvents, {}, { since })}`, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, cookie } }),
  })
  for (const name of ['job.state_changed', 'entity.changed'] as const) {
    source.addEventListener(name, ({ data }) => {
      events += 1
      merge(rows, z.parse(sseEvents[name], JSON.parse(data)))
    })
  }
  return { rows, events: () => events, close: () => source.close() }
}

function poll(api: MissionApi, from: string) {
  const rows: Merged['rows'] = new Map()
  const stopping = new AbortController()
  let rounds = 0
  async function run() {
    let since = from
    while (!stopping.signal.aborted) {
      const page = await api.call(endpoints.readRecent, { query: { since, limit: 7 } })
      for (const view of page.entities) merge(rows, view)
      since = page.cursor
      rounds += 1
      if (!page.has_more) await new Promise((resolve) => setTimeout(resolve, 30))
    }
  }
  const running = run()
  return {
    rows,
    rounds: () => rounds,
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function readAll(api: MissionApi, ids: readonly string[]): Promise<Merged['rows']> {
  const rows: Merged['rows'] = new Map()
  for (let at = 0; at < ids.length; at += viewsAtOnce) {
    const query = { ids: ids.slice(at, at + viewsAtOnce).join(',') }
    const { views } = await api.call(endpoints.readViews, { query })
    for (const view of views) rows.set(view.prompt_id, view)
  }
  return rows
}
