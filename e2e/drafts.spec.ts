import { endpoints } from '../shared/api.ts'
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

test('what is typed is there after a reload, however soon it came', async ({ field }) => {
  // R011
  await promptBox(field).fill('A thought that is not finis')
  await expect(field.getByText('draft saved')).toBeVisible()
  await field.reload()
  await expect(promptBox(field)).toHaveValue('A thought that is not finis')

  await promptBox(field).press('End')
  await promptBox(field).pressSequentially('hed')
  await field.reload()
  await expect(promptBox(field)).toHaveValue('A thought that is not finished')
})

test('a prompt sent to a server that is down is kept, and sent under the same id when it is back', async ({
  field,
  context,
  mission,
  provider,
  api,
}) => {
  // R011
  await expect(feedBadge(field)).toHaveText('live')
  await mission.kill9()
  await write(field, 'Sent into the void')
  await write(field, 'And another one')
  const drop = dropOf(field, 'Sent into the void')
  await expect(drop).toHaveClass(/is-unsent/)
  await expect(drop).toContainText('not sent yet')
  await expect(feedBadge(field)).toContainText('2 unsent')
  const turn = await open(field, 'Sent into the void')
  await expect(turn.getByRole('button', { name: 'Send again' })).toBeVisible()
  await field.getByRole('button', { name: 'Close' }).click()
  const ids = [await promptIdOf(drop), await promptIdOf(dropOf(field, 'And another one'))]

  await mission.start()
  await expect(drop).not.toHaveClass(unsettledClasses, { timeout: 45_000 })
  for (const [index, text] of ['Sent into the void', 'And another one'].entries()) {
    const detail = await api.until(ids[index] ?? '', ({ state }) => state === 'succeeded')
    expect(detail.text).toBe(text)
  }
  await expect(promptBox(field)).toHaveValue('')

  await mission.kill9()
  await write(field, 'Kept by the browser')
  const late = await promptIdOf(dropOf(field, 'Kept by the browser'))
  await expect(dropOf(field, 'Kept by the browser')).toHaveClass(/is-unsent/)
  await field.close()
  await mission.start()
  const reopened = await context.newPage()
  await reopened.goto(api.url)
  const kept = dropOf(reopened, 'Kept by the browser')
  await expect(kept).toHaveCount(1)
  await expect(kept).not.toHaveClass(unsettledClasses)
  expect((await api.until(late, ({ state }) => state === 'succeeded')).text).toBe('Kept by the browser')
  const { entities } = await api.call(endpoints.readRecent)
  expect(entities.map(({ prompt_id }) => prompt_id).sort()).toEqual([...ids, late].sort())
  expect(provider.requests).toHaveLength(3)
})
