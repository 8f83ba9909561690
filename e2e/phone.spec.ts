import { expect, test } from './fixtures.ts'
import { promptBox, rowOf, threadPanel, turnOf } from './product/field-page.ts'

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })

test('a phone opens on the list, sends, reads an answer and goes back', async ({ field, provider }) => {
  const held = provider.hold('Small ')
  await promptBox(field).fill('From a phone')
  await field.getByRole('button', { name: 'Send' }).tap()
  await expect(field.getByRole('region', { name: 'List' })).toBeVisible()
  await expect(field.getByRole('region', { name: 'Field' })).toHaveCount(0)
  const row = rowOf(field, 'From a phone')
  await expect(row).toContainText('answering')

  await row.getByRole('button', { name: 'From a phone' }).tap()
  await expect(turnOf(field, 'From a phone')).toContainText('Small')
  held.release('screens too.')
  await expect(turnOf(field, 'From a phone')).toContainText('Small screens too.')
  await threadPanel(field).getByRole('button', { name: 'Back' }).tap()
  await expect(threadPanel(field)).toHaveCount(0)
  await expect(row).toContainText('answered')

  const overflow = await field.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(overflow).toBe(0)
})
