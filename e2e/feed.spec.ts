import type { Page } from '@playwright/test'
import { endpoints } from '../shared/api.ts'
import { urlOf } from '../shared/endpoint.ts'
import { expect, test } from './fixtures.ts'
import { dropOf, feedBadge, open, unsettledClasses, write } from './product/field-page.ts'
import { countStreams } from './product/open-streams.ts'

const events = `**${urlOf(endpoints.followEvents)}*`
const recent = `**${urlOf(endpoints.readRecent)}*`

/** Ways in which a stream fails to be one. */
const brokenStreams: { says: string; breakIt(page: Page): Promise<unknown> }[] = [
  {
    says: 'whose event stream is cut off',
    breakIt: (page) => page.route(events, (route) => route.abort()),
  },
  {
    // R049
    says: 'whose event stream is an error in disguise',
    breakIt: (page) =>
      page.route(events, (route) =>
        route.fulfill({
          status: 200,
          contentType: 'text/event-stream',
          body: '{"message":"upstream failed"}',
        }),
      ),
  },
]

for (const { says, breakIt } of brokenStreams) {
  test(`a page ${says} says that it polls, and comes to the same end`, async ({
    page,
    signedIn,
    provider,
  }) => {
    const streams = countStreams(page)
    await breakIt(page)
    await signedIn()
    const held = provider.hold('Polled ')
    await write(page, 'Without a stream')
    await held.arrived
    const drop = dropOf(page, 'Without a stream')
    await expect(drop).toHaveClass(/is-pending/)
    await expect(feedBadge(page)).toHaveText('polling every 2 s')
    const turn = await open(page, 'Without a stream')
    await expect(turn).toContainText('Polled')
    held.release('text.')
    await expect(drop).not.toHaveClass(unsettledClasses)
    await expect(turn).toContainText('Polled text.')
    await expect(feedBadge(page)).toHaveText('polling when something runs')

    // The delays are at least 1, 1, 2 and 4 s: it does not knock for ever once a second.
    await expect.poll(() => streams.begunAtMs.length, { timeout: 40_000 }).toBeGreaterThanOrEqual(5)
    const [first = 0, , , , fifth = 0] = streams.begunAtMs
    expect(fifth - first).toBeGreaterThan(7_500)
    await page.unroute(events)
    await expect(feedBadge(page)).toHaveText('live', { timeout: 40_000 })
  })
}

test('an old poll that is answered late takes nothing back', async ({ page, signedIn, provider }) => {
  // R041
  await page.route(events, (route) => route.abort())
  await signedIn()
  const held = provider.hold('Soon ')
  await write(page, 'Overtaken')
  await held.arrived
  const drop = dropOf(page, 'Overtaken')
  await expect(drop).toHaveClass(/is-pending/)

  const late = await holdNextPoll(page)
  await late.begun
  held.release('done.')
  await expect(async () => {
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await expect(drop).not.toHaveClass(unsettledClasses, { timeout: 1_000 })
  }).toPass()
  await late.answer()
  await expect(feedBadge(page)).toHaveText('polling when something runs')
  await expect(drop).not.toHaveClass(unsettledClasses)
})

test('over six restarts, each told from the beginning, a tab keeps one stream and each drop once', async ({
  page,
  mission,
  signedIn,
}) => {
  // R019, R051
  test.setTimeout(240_000)
  const streams = countStreams(page)
  let first: string | null = null
  await page.route(events, async (route) => {
    first ??= route.request().url()
    await route.continue({ url: first })
  })
  await signedIn()
  const texts = ['One', 'Two', 'Three'].map((word) => `Prompt ${word}`)
  for (const text of texts) {
    await write(page, text)
    await expect(dropOf(page, text)).not.toHaveClass(unsettledClasses)
  }
  for (let restart = 1; restart <= 6; restart += 1) {
    await mission.restart()
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await expect(feedBadge(page)).toHaveText('live', { timeout: 40_000 })
    expect(streams.open()).toBe(1)
    expect(streams.begunAtMs.length).toBeGreaterThan(restart)
  }
  await write(page, 'Prompt Four')
  await expect(dropOf(page, 'Prompt Four')).not.toHaveClass(unsettledClasses)
  for (const text of [...texts, 'Prompt Four']) await expect(dropOf(page, text)).toHaveCount(1)
  await expect(page.locator('li.drop')).toHaveCount(4)
  expect(streams.open()).toBe(1)
})

test('a stream begins within a second, uncompressed, however it is asked for', async ({ api }) => {
  // R047
  const startedAtMs = performance.now()
  const answer = await fetch(`${api.url}${urlOf(endpoints.followEvents)}`, {
    headers: { cookie: api.cookie, 'accept-encoding': 'gzip, deflate, br' },
  })
  const reader = answer.body?.getReader()
  const first = await reader?.read()
  expect(performance.now() - startedAtMs).toBeLessThan(1_000)
  expect(answer.headers.get('content-encoding') ?? 'identity').toBe('identity')
  expect(new TextDecoder().decode(first?.value)).toMatch(/^event: hello\n/)
  await reader?.cancel()
})

/** Keeps the answer of the next poll back: it holds what the server knew then. */
async function holdNextPoll(page: Page): Promise<{ begun: Promise<void>; answer(): Promise<void> }> {
  let begin = () => {}
  let answer = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  let settle = () => {}
  const settled = new Promise<void>((resolve) => {
    settle = resolve
  })
  await page.route(
    recent,
    async (route) => {
      const response = await route.fetch()
      begin()
      await answered
      // The page may have given it up.
      await route.fulfill({ response }).catch(() => undefined)
      settle()
    },
    { times: 1 },
  )
  return {
    begun,
    async answer() {
      answer()
      await settled
    },
  }
}
