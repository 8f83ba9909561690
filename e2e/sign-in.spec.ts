import { endpoints } from '../shared/api.ts'
import { expect, test } from './fixtures.ts'
import { shareSession } from './product/browser-session.ts'
import { dropOf, feedBadge, promptBox, unsettledClasses, write } from './product/field-page.ts'
import { signIn } from './product/mission-api.ts'

test('the link of the terminal signs one browser in, once, and stays signed in over a restart', async ({
  page,
  context,
  mission,
}) => {
  const { loginUrl } = mission
  await page.goto(loginUrl)
  await expect(feedBadge(page)).toHaveText('live')
  expect(new URL(page.url()).pathname).toBe('/')
  expect(await context.cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }])
  await write(page, 'Hello')
  await expect(dropOf(page, 'Hello')).not.toHaveClass(unsettledClasses)

  const again = await page.goto(loginUrl)
  expect(again?.status()).toBe(410)
  await expect(page.getByRole('heading')).toHaveText('This sign-in link no longer works')
  await mission.restart()
  await page.goto(mission.url)
  await expect(dropOf(page, 'Hello')).toBeVisible()
})

test('a page without a session says so, shows nothing of anybody, and goes on once signed in', async ({
  page,
  context,
  mission,
  api,
}) => {
  await api.submit('Somebody’s prompt')
  await page.goto(mission.url)
  const ask = page.getByRole('alert', { name: 'Signed out' })
  await expect(ask).toContainText('Sign in to continue')
  await expect(ask).toContainText('mission login-link')
  await expect(feedBadge(page)).toHaveText('signed out')
  await expect(page.locator('li.drop')).toHaveCount(0)

  await shareSession(context, api)
  await ask.getByRole('button', { name: 'I have signed in' }).click()
  await expect(feedBadge(page)).toHaveText('live')
  await expect(ask).toHaveCount(0)
  await expect(dropOf(page, 'Somebody’s prompt')).toBeVisible()
})

test('a session that ends while the page is open keeps what was typed and sends it after signing in', async ({
  field,
  context,
  mission,
  api,
}) => {
  await expect(feedBadge(field)).toHaveText('live')
  await api.call(endpoints.endSession)
  const ask = field.getByRole('alert', { name: 'Signed out' })
  await expect(ask).toBeVisible()
  await promptBox(field).fill('Written while signed out')
  await promptBox(field).press('Enter')
  await expect(feedBadge(field)).toHaveText('signed out · 1 unsent')

  const { stdout } = await mission.run('login-link', '--json')
  const link: { url: string } = JSON.parse(stdout)
  await shareSession(context, await signIn(link.url))
  await ask.getByRole('button', { name: 'I have signed in' }).click()
  await expect(feedBadge(field)).toHaveText('live')
  await expect(dropOf(field, 'Written while signed out')).not.toHaveClass(unsettledClasses)
})
