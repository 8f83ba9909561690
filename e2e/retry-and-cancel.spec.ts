import type { ScriptedRequest } from '../bff/adapters/testing/scripted-provider-server.ts'
import { expect, test } from './fixtures.ts'
import { dropOf, feedBadge, open, promptIdOf, turnOf, unsettledClasses, write } from './product/field-page.ts'

test.use({ settings: { MISSION_WORKER_CONCURRENCY: '1' } })

test('a failed prompt says what happened, and its retry chip brings the answer', async ({
  field,
  provider,
  api,
}) => {
  // R015
  provider.next((answer) => answer.fail(400, { error: { message: 'The model is out for lunch' } }))
  await write(field, 'Fails at first')
  const drop = dropOf(field, 'Fails at first')
  await expect(drop).toHaveClass(/is-orphan/)
  await expect(drop).toContainText('Failed')
  const turn = await open(field, 'Fails at first')
  await expect(turn).toContainText('The model is out for lunch')

  const held = provider.hold('Back ')
  await drop.getByRole('button', { name: 'Retry', exact: true }).click()
  await held.arrived
  await expect(drop).toHaveClass(/is-pending/)
  held.release('from lunch.')
  await expect(drop).not.toHaveClass(unsettledClasses)
  await expect(drop).toHaveCount(1)
  await expect(turn).toContainText('Back from lunch.')
  expect(provider.requests.map(timesSaid('Fails at first'))).toEqual([1, 1])

  const { view } = await api.read(await promptIdOf(drop))
  expect(view).toMatchObject({ state: 'succeeded', attempt: 1, error_kind: null })
  expect(view.earlier_jobs).toMatchObject([{ outcome: 'failed' }])

  await write(field, 'And then?')
  await expect(turnOf(field, 'And then?')).toContainText('Answer to: And then?')
  expect(
    provider.requests
      .at(-1)
      ?.messages.map(({ role }) => role)
      .slice(-3),
  ).toEqual(['user', 'assistant', 'user'])
  expect(provider.requests.slice(-1).map(timesSaid('Fails at first'))).toEqual([1])
})

test('a provider that recovers by itself leaves one drop with its attempts counted', async ({
  field,
  provider,
  api,
}) => {
  // R015
  provider.next((answer) => answer.fail(500))
  provider.next((answer) => {
    answer.delta('Cut in the mid')
    answer.hangUp()
  })
  await write(field, 'Third time lucky')
  const drop = dropOf(field, 'Third time lucky')
  await expect.poll(() => provider.requests.length).toBe(3)
  await expect(drop).not.toHaveClass(unsettledClasses)
  expect(provider.requests.map(timesSaid('Third time lucky'))).toEqual([1, 1, 1])
  const { view, answer } = await api.read(await promptIdOf(drop))
  expect(view).toMatchObject({ state: 'succeeded', attempt: 3, error_kind: null, earlier_jobs: [] })
  expect(answer?.text).toBe('Answer to: Third time lucky')
})

test('Stop ends the call within a second and lets the next prompt run', async ({ field, provider }) => {
  // R027
  const held = provider.hold('Words that nobody wants')
  await write(field, 'Stop me')
  const call = await held.arrived
  await expect(dropOf(field, 'Stop me')).toHaveClass(/is-pending/)
  await write(field, 'Next in line')
  await expect(dropOf(field, 'Next in line')).toHaveClass(/is-queued/)

  const turn = await open(field, 'Stop me')
  await turn.getByRole('button', { name: 'Stop', exact: true }).click()
  const clickedAtMs = performance.now()
  await call.closed
  expect(performance.now() - clickedAtMs).toBeLessThan(1_000)
  expect(call.abandoned()).toBe(true)
  await expect(dropOf(field, 'Stop me')).toHaveClass(/is-cancelled/)
  await expect(dropOf(field, 'Stop me').getByRole('button', { name: 'Retry', exact: true })).toHaveCount(0)
  await expect(turn).toContainText('partial')
  await expect(turn).toContainText('Words that nobody wants')
  await expect(dropOf(field, 'Next in line')).not.toHaveClass(unsettledClasses)
  await expect(dropOf(field, 'Stop me')).toHaveClass(/is-cancelled/)
})

test('a second tab can stop what the first one started, and closing a tab stops nothing', async ({
  field,
  context,
  provider,
  api,
}) => {
  // R029
  const held = provider.hold('Going on')
  await write(field, 'Started elsewhere')
  const call = await held.arrived
  const second = await context.newPage()
  await second.goto(api.url)
  await expect(feedBadge(second)).toHaveText('live')
  await expect(dropOf(second, 'Started elsewhere')).toHaveClass(/is-pending/)
  const third = await context.newPage()
  await third.goto(api.url)
  await expect(dropOf(third, 'Started elsewhere')).toHaveClass(/is-pending/)
  await third.close()
  await expect(dropOf(second, 'Started elsewhere')).toHaveClass(/is-pending/)
  expect(call.abandoned()).toBe(false)

  const turn = await open(second, 'Started elsewhere')
  await turn.getByRole('button', { name: 'Stop', exact: true }).click()
  await call.closed
  expect(call.abandoned()).toBe(true)
  await expect(dropOf(field, 'Started elsewhere')).toHaveClass(/is-cancelled/)
  await expect(dropOf(second, 'Started elsewhere')).toHaveClass(/is-cancelled/)
  const { view, answer } = await api.read(await promptIdOf(dropOf(field, 'Started elsewhere')))
  expect(view.state).toBe('cancelled')
  expect(answer).toBeNull()
})

/** How often a call puts these very words to the model. */
function timesSaid(words: string): (request: ScriptedRequest) => number {
  return ({ messages }) => messages.filter(({ content }) => content === words).length
}
