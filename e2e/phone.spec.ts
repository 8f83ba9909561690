import { expect, test } from './fixtures.ts'
import { promptBox, promptIdOf, rowOf, threadPanel, turnOf } from './product/field-page.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })

test('a phone opens on the list, sends, reads an answer and goes back', async ({ field, provider, api }) => {
  const held = provider.hold('Small ')
  await promptBox(field).fill('From a phone')
  await field.getByRole('button', { name: 'Send' }).tap()
  await expect(field.getByRole('region', { name: 'List' })).toBeVisible()
  await expect(field.getByRole('region', { name: 'Field' })).toHaveCount(0)
  const row = rowOf(field, 'From a phone')
  await expect(row).toContainText(/answering/i)

  await row.getByRole('button', { name: 'From a phone' }).tap()
  await expect(turnOf(field, 'From a phone')).toContainText('Small')
  held.release('screens too.')
  await expect(turnOf(field, 'From a phone')).toContainText('Small screens too.')
  await api.until(await promptIdOf(row), ({ seen }) => seen)
  await threadPanel(field).getByRole('button', { name: 'Back' }).tap()
  await expect(threadPanel(field)).toHaveCount(0)
  await expect(row).toContainText(/answered/i)

  const overflow = await field.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow).toBe(0)
})
