import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import {
  dropOf,
  feedBadge,
  open,
  promptBox,
  promptIdOf,
  unsettledClasses,
  write,
} from './product/field-page.ts'

test.use({ settings: { MISSION_WORKER_CONCURRENCY: '1' } })

test('a prompt is a drop at once, then runs in front of one’s eyes, then settles', async ({
  field,
  provider,
  api,
}) => {
  await expect(feedBadge(field)).toHaveText('live')
  await write(field, 'A first prompt')
  await expect(dropOf(field, 'A first prompt')).not.toHaveClass(unsettledClasses)

  const gate = await holdSubmits(field)
  const held = provider.hold('Ripples ')
  await promptBox(field).fill('How do ripples travel?')
  const nextFrame = await watchNextFrame(field, 'How do ripples travel?')
  await promptBox(field).press('Enter')
  expect(await nextFrame.look()).toMatch(/is-queued/)
  await expect(promptBox(field)).toHaveValue('')
  await expect(promptBox(field)).toBeFocused()
  expect(provider.requests).toHaveLength(1)

  gate.open()
  const drop = dropOf(field, 'How do ripples travel?')
  await expect(drop).toHaveClass(/is-pending/)
  await expect(drop).toHaveCount(1)
  const turn = await open(field, 'How do ripples travel?')
  await expect(turn).toContainText('Ripples')
  held.delta('spread in rings, ')
  await expect(turn).toContainText('Ripples spread in rings,')
  await expect(drop).toHaveClass(/is-pending/)
  held.release('and **fade**.')
  await expect(drop).not.toHaveClass(unsettledClasses)
  await expect(turn).toContainText('Ripples spread in rings, and fade.')
  await expect(turn.locator('strong')).toHaveText('fade')

  const { text, answer } = await api.read(await promptIdOf(drop))
  expect(text).toBe('How do ripples travel?')
  expect(answer?.text).toBe('Ripples spread in rings, and **fade**.')
})

test('the server keeps a prompt waiting in the open while another one runs', async ({
  field,
  provider,
  api,
}) => {
  const held = provider.hold('Busy')
  await write(field, 'Takes the only place')
  await held.arrived
  await write(field, 'Waits in line')
  await expect(dropOf(field, 'Takes the only place')).toHaveClass(/is-pending/)
  await expect(dropOf(field, 'Waits in line')).toHaveClass(/is-queued/)
  await expect(dropOf(field, 'Waits in line')).toContainText('Waiting')
  held.release(' no more')
  await expect(dropOf(field, 'Waits in line')).not.toHaveClass(unsettledClasses)
  const { answer } = await api.read(await promptIdOf(dropOf(field, 'Waits in line')))
  expect(answer?.text).toBe('Answer to: Waits in line')
})

/** Lets no submit reach the server before `open`. */
async function holdSubmits(page: Page): Promise<{ open(): void }> {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  await page.route('**/api/v1/prompt', async (route) => {
    await opened
    await route.continue()
  })
  return { open }
}

/** The class of the prompt's drop in the first frame after the next key, as the browser is about to paint it. */
async function watchNextFrame(page: Page, words: string): Promise<{ look(): Promise<string> }> {
  const handle = await page.evaluateHandle((text) => {
    const seen = new Promise<string>((resolve) => {
      const inFrame = () => {
        const drops = [...document.querySelectorAll('li.drop')]
        resolve(drops.find((drop) => drop.textContent?.includes(text))?.className ?? 'no drop')
      }
      addEventListener('keydown', () => requestAnimationFrame(inFrame), { capture: true, once: true })
    })
    return { seen }
  }, words)
  return { look: () => handle.evaluate(({ seen }) => seen) }
}
