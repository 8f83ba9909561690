import type { Locator, Page } from '@playwright/test'

/** Where prompts are written. */
export function promptBox(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Prompt', exact: true })
}

/** Types a prompt and sends it, as a person does. */
export async function write(page: Page, text: string): Promise<void> {
  await promptBox(page).fill(text)
  await promptBox(page).press('Enter')
}

/** A prompt on the field, by words that no other prompt has. */
export function dropOf(page: Page, words: string): Locator {
  return page.locator('li.drop').filter({ hasText: words })
}

/** A prompt in the list, by its own words: its row names its thread too. */
export function rowOf(page: Page, words: string): Locator {
  const rows = page.getByRole('region', { name: 'List' }).locator('li[data-prompt-id]')
  return rows.filter({ has: page.getByRole('button', { name: words }) })
}

/** A prompt with its answer in the thread that is open. */
export function turnOf(page: Page, words: string): Locator {
  return threadPanel(page).locator('[data-turn-id]').filter({ hasText: words })
}

export function threadPanel(page: Page): Locator {
  return page.getByRole('complementary', { name: 'Thread' })
}

/** Opens the thread of a prompt on the field. */
export async function open(page: Page, words: string): Promise<Locator> {
  await dropOf(page, words).getByRole('button').first().click()
  return turnOf(page, words)
}

/** Says which way changes come. */
export function feedBadge(page: Page): Locator {
  return page.getByRole('banner').getByRole('status')
}

/** How a drop looks once it is answered: none of the classes that ask for waiting or for help. */
export const unsettledClasses = /is-(queued|pending|unsent|orphan|cancelled)/

/** @throws Error when the element names no prompt. */
export async function promptIdOf(element: Locator): Promise<string> {
  const id = await element.getAttribute('data-prompt-id')
  if (id === null) throw new Error('the element names no prompt')
  return id
}
