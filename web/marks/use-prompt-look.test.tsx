// @vitest-environment jsdom
import { afterEach, expect, test } from 'vitest'
import { usePromptView } from '../sync/hooks.ts'
import { idOf, makeView } from '../sync/testing/make-view.ts'
import { acted, render, unmountAll } from '../sync/testing/render.tsx'
import { setUpSync, stopSyncs } from '../sync/testing/start-sync.ts'
import { usePromptLook } from './use-prompt-look.ts'

afterEach(async () => {
  await unmountAll()
  stopSyncs()
})

const running = makeView(1, { state: 'running' })

test('the words of a run are live while it runs, and no longer once it settled, read or not', async () => {
  const { clock, sources, sync, goLive } = setUpSync([running])
  await acted(goLive)
  await acted(() => clock.advance(20))
  const page = await render(sync, <Words />)
  const delta = { prompt_id: idOf(1), job_id: running.job_id, attempt: 1, run: 1, seq: 0, whole: false }
  await acted(() => sources.last().send('response.delta', { ...delta, text: 'One two', tokens: 2 }))
  expect(page.text()).toBe('pending: One two')
  const settled = makeView(1, { state: 'succeeded', revision: 2 })
  await acted(() => sources.last().send('job.state_changed', settled, 'c'))
  expect(page.text()).toBe('new: –')
})

function Words() {
  const view = usePromptView(idOf(1)) ?? running
  const { look, live } = usePromptLook(view, { timeZone: 'UTC', nowMs: 0 })
  return `${look.disc}: ${live?.text ?? '–'}`
}
