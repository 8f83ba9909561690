import { expect, test } from './fixtures.ts'
import { dropOf, feedBadge, open, promptIdOf, turnOf, unsettledClasses, write } from './product/field-page.ts'
import { stopRenderers } from './product/stopped-renderers.ts'
import { readStoredRows } from './product/stored-rows.ts'

test('who closes the tab while it runs finds the answer on return', async ({
  field,
  context,
  provider,
  api,
}) => {
  // R001, R003, R029
  const held = provider.hold('Half of ')
  await write(field, 'Goes on alone')
  const call = await held.arrived
  const drop = dropOf(field, 'Goes on alone')
  await expect(drop).toHaveClass(/is-pending/)
  const promptId = await promptIdOf(drop)
  await field.close()

  held.delta('the answer, ')
  expect(call.abandoned()).toBe(false)
  held.release('and the rest.')
  await api.until(promptId, ({ state }) => state === 'succeeded')
  const later = await context.newPage()
  await later.goto(api.url)
  await expect(dropOf(later, 'Goes on alone')).toHaveClass(/is-new/)
  const turn = await open(later, 'Goes on alone')
  await expect(turn).toContainText('Half of the answer, and the rest.')
})

test('an answer comes wherever one is looking meanwhile', async ({ field, provider }) => {
  // R001
  await write(field, 'Somewhere else')
  await expect(dropOf(field, 'Somewhere else')).not.toHaveClass(unsettledClasses)
  const held = provider.hold('Made while ')
  await write(field, 'Left behind')
  await held.arrived
  await open(field, 'Left behind')
  await expect(turnOf(field, 'Left behind')).toContainText('Made while')
  await field.getByRole('button', { name: 'Close' }).click()
  await open(field, 'Somewhere else')
  await field
    .getByRole('button', { name: 'List' })
    .or(field.getByRole('radio', { name: 'List' }))
    .click()
  held.release('nobody looked.')
  await field
    .getByRole('button', { name: 'Field' })
    .or(field.getByRole('radio', { name: 'Field' }))
    .click()
  await expect(dropOf(field, 'Left behind')).not.toHaveClass(unsettledClasses)
  await open(field, 'Left behind')
  await expect(turnOf(field, 'Left behind')).toContainText('Made while nobody looked.')
})

test('a server that is killed and comes back settles the drop on a page that nobody touches', async ({
  field,
  mission,
  provider,
  api,
}) => {
  const lost = provider.hold('Lost words')
  await write(field, 'Survives a kill')
  await lost.arrived
  const drop = dropOf(field, 'Survives a kill')
  await expect(drop).toHaveClass(/is-pending/)
  await mission.kill9()
  await expect(feedBadge(field)).toContainText('offline since')

  const second = provider.hold('Second run')
  await mission.start()
  await second.arrived
  await expect(feedBadge(field)).toHaveText('live', { timeout: 45_000 })
  await expect(drop).toHaveClass(/is-pending/)
  second.release(', whole.')
  await expect(drop).not.toHaveClass(unsettledClasses)

  const promptId = await promptIdOf(drop)
  const { view, answer } = await api.read(promptId)
  expect(view).toMatchObject({ state: 'succeeded', attempt: 2, earlier_jobs: [] })
  expect(answer?.text).toBe('Second run, whole.')
  await field.close()
  await mission.stop()
  expect((await readStoredRows(mission.dataDir)).get(promptId)).toEqual({
    state: 'succeeded',
    jobs: 1,
    responses: 1,
  })
})

test('a page that slept through the answer shows it within a second of waking', async ({
  field,
  browser,
  provider,
  api,
}) => {
  // R005
  const held = provider.hold('Dreamt ')
  await write(field, 'Sleeps meanwhile')
  await held.arrived
  const drop = dropOf(field, 'Sleeps meanwhile')
  await expect(drop).toHaveClass(/is-pending/)
  const promptId = await promptIdOf(drop)
  const log = await field.evaluateHandle(() => {
    const seen = { ticksMs: [] as number[], settledAtMs: 0 }
    setInterval(() => seen.ticksMs.push(performance.now()), 20)
    const look = () => {
      if (document.querySelector('li.drop.is-pending') === null) seen.settledAtMs ||= performance.now()
    }
    const everything = { subtree: true, childList: true, attributes: true }
    new MutationObserver(look).observe(document.body, everything)
    return seen
  })

  const sleeping = await stopRenderers(browser)
  try {
    held.release('up.')
    await api.until(promptId, ({ state }) => state === 'succeeded')
    await new Promise((resolve) => setTimeout(resolve, 2_000))
  } finally {
    sleeping.wake()
  }
  await expect(drop).not.toHaveClass(unsettledClasses)
  const gaps = async () => {
    const { ticksMs } = await log.jsonValue()
    return ticksMs.map((at, index) => ({ at, sleptMs: at - (ticksMs[index - 1] ?? at) }))
  }
  const longest = async () => (await gaps()).sort((a, b) => b.sleptMs - a.sleptMs)[0]
  await expect.poll(async () => (await longest())?.sleptMs).toBeGreaterThan(1_900)
  const wokeAtMs = (await longest())?.at ?? 0
  expect((await log.jsonValue()).settledAtMs - wokeAtMs).toBeLessThan(1_000)
})
