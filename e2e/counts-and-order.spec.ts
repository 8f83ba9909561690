import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { shareSession } from './product/browser-session.ts'
import { dropOf, feedBadge, rowOf, unsettledClasses, write } from './product/field-page.ts'
import { moveCreation } from './product/stored-rows.ts'

test.use({ settings: { MISSION_WORKER_CONCURRENCY: '1' } })

test('counts are the server’s: alike before and after a reload and in another browser', async ({
  field,
  browser,
  provider,
  api,
}) => {
  // R007
  await write(field, 'Queue 1')
  await expect(dropOf(field, 'Queue 1')).not.toHaveClass(unsettledClasses)
  const held = provider.hold('Second of five ')
  for (const place of [2, 3, 4, 5]) await write(field, `Queue ${place}`)
  await held.arrived
  await expect(dropOf(field, 'Queue 2')).toHaveClass(/is-pending/)
  await expect(dropOf(field, 'Queue 5')).toHaveClass(/is-queued/)
  const counted = { title: '(4) Mission Field', atWork: '1 at work', waiting: '3 waiting' }
  await expect.poll(() => facts(field)).toMatchObject(counted)
  const before = await facts(field)

  await field.reload()
  await expect.poll(() => facts(field)).toEqual(before)
  const other = await browser.newContext()
  await shareSession(other, api)
  const elsewhere = await other.newPage()
  await elsewhere.goto(api.url)
  await expect.poll(() => facts(elsewhere)).toEqual(before)

  held.release('is done.')
  for (const page of [field, elsewhere]) {
    await expect(dropOf(page, 'Queue 5')).not.toHaveClass(unsettledClasses)
    await expect(page.getByRole('banner')).toContainText('0 at work')
  }
  const after = await facts(field)
  expect(after.states).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded', 'succeeded'])
  await expect.poll(() => facts(elsewhere)).toEqual(after)
  await other.close()
})

/** Around midnight in both zones, and around the hour that St. John's went through twice. */
const moments = [
  '2024-11-03T02:29:59.999Z',
  '2024-11-03T02:30:00.000Z',
  '2024-11-03T04:29:30.000Z',
  '2024-11-03T05:29:00.000Z',
  '2024-11-03T05:30:00.000Z',
  '2024-11-03T09:59:59.999Z',
  '2024-11-03T10:00:00.000Z',
]

for (const timezoneId of ['Pacific/Kiritimati', 'America/St_Johns']) {
  test(`the order in ${timezoneId} is that of creation`, async ({ browser, mission, api }) => {
    // R043
    const ids = new Map<string, Date>()
    let parent_id: string | undefined
    // One thread, which is one lane; sent in another order than its prompts come to be created in.
    for (const at of [0, 3, 6, 2, 5, 1, 4]) {
      const moment = moments[at] ?? ''
      const { prompt_id } = await api.submit(`Moment ${at}`, { ...(parent_id && { parent_id }) })
      parent_id ??= prompt_id
      await api.until(prompt_id, ({ state }) => state === 'succeeded')
      ids.set(prompt_id, new Date(moment))
    }
    await mission.stop()
    await moveCreation(mission.dataDir, ids)
    await mission.start()

    const there = await browser.newContext({ timezoneId })
    await shareSession(there, api)
    const page = await there.newPage()
    await page.goto(api.url)
    const texts = moments.map((_, at) => `Moment ${at}`)
    for (const text of texts) await expect(dropOf(page, text)).toBeVisible()
    await expect.poll(() => inOrderOf(page, 'li.drop', ({ x }) => x)).toEqual(texts)
    await page.goto(`${api.url}/?view=list`)
    await expect(rowOf(page, 'Moment 0')).toBeVisible()
    // Told in one's own time, and in everybody's on hover.
    await expect(rowOf(page, 'Moment 0').locator('time')).toHaveAttribute('title', '2024-11-03 02:29:59 UTC')
    const rows = 'section[aria-label="List"] li[data-prompt-id]'
    await expect.poll(() => inOrderOf(page, rows, ({ y }) => -y)).toEqual(texts)
    await there.close()
  })
}

/** What a person can read off the page about all of their prompts. */
async function facts(page: Page) {
  await expect(feedBadge(page)).toHaveText('live')
  const counts = (await page.getByRole('banner').textContent()) ?? ''
  const drops = await page.locator('li.drop').evaluateAll((elements) =>
    elements.map((element) => ({
      id: element.getAttribute('data-prompt-id'),
      state: element.getAttribute('data-state'),
    })),
  )
  return {
    title: await page.title(),
    atWork: /\d+ at work/.exec(counts)?.[0],
    waiting: /\d+ waiting/.exec(counts)?.[0],
    ids: drops.map(({ id }) => id).sort(),
    states: drops.map(({ state }) => state).sort(),
  }
}

/** The moments that the elements name, in the order in which they are drawn. */
async function inOrderOf(
  page: Page,
  selector: string,
  place: (box: { x: number; y: number }) => number,
): Promise<string[]> {
  const elements = await page.locator(selector).all()
  const placed = await Promise.all(
    elements.map(async (element) => ({
      text: /Moment \d/.exec((await element.textContent()) ?? '')?.[0] ?? '',
      box: await element.boundingBox(),
    })),
  )
  return placed
    .flatMap(({ text, box }) => (box === null ? [] : [{ text, at: place(box) }]))
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
}
