import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { dropOf, open, threadPanel, unsettledClasses, write } from './product/field-page.ts'

/** Each would set `window.ran` if anything of it were taken for more than text; nobody listens at its addresses. */
const attacks = [
  '<img src=x onerror="window.ran=1">',
  '<script>window.ran=2</script>',
  '<svg/onload="window.ran=3">',
  '<iframe srcdoc="<script>parent.ran=4</script>"></iframe>',
  '[a link](javascript:window.ran=5)',
  '[data](data:text/html,<script>opener.ran=6</script>)',
  '![remote](http://tracker.invalid/pixel.png)',
  '<a href="java&#10;script:window.ran=7">x</a>',
  '<form action="http://tracker.invalid/"><button>send</button></form>',
  '<style>@import "http://tracker.invalid/a.css";</style>',
]

test('markup in prompts, answers, titles and errors is text: nothing runs, nothing is fetched', async ({
  page,
  signedIn,
  provider,
  api,
}) => {
  // R079
  const seen = watch(page, api.url)
  await signedIn()
  const all = attacks.join('\n\n')
  provider.next(`An answer with ${all}`)
  await write(page, `Title <img src=x onerror="window.ran=8"> ${all}`)
  await expect(dropOf(page, 'Title <img')).not.toHaveClass(unsettledClasses)
  const turn = await open(page, 'Title <img')
  await expect(turn).toContainText('An answer with')
  await expect(threadPanel(page).getByRole('heading', { level: 2 })).toContainText('<img src=x')

  provider.next((answer) => answer.fail(400, { error: { message: `Refused: ${attacks[0]} ${attacks[1]}` } }))
  await page.getByRole('button', { name: 'Close' }).click()
  await write(page, 'Refused with markup')
  await expect(dropOf(page, 'Refused with markup')).toHaveClass(/is-orphan/)
  await expect(await open(page, 'Refused with markup')).toContainText('Refused')
  await harmless(page)

  await page.getByRole('button', { name: 'Close' }).click()
  await open(page, 'Title <img')
  await harmless(page)
  for (const link of await turn.getByRole('link').all()) {
    expect(await link.getAttribute('href')).toMatch(/^https?:/)
  }
  const answer = await page.reload()
  expect(answer?.headers()['content-security-policy']).toContain("script-src 'self'")
  await expect(turn).toContainText('An answer with')
  await harmless(page)

  await page.goto(`${api.url}/?view=list`)
  await expect(page.getByRole('region', { name: 'List' })).toContainText('Title <img')
  await harmless(page)
  expect(seen).toEqual({ foreign: [], dialogs: [], windows: 0 })
})

test('the page itself may run no script but its own', async ({ page, signedIn }) => {
  await signedIn()
  const refused = page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective))
        const script = document.createElement('script')
        script.textContent = 'window.ran = 9'
        document.body.append(script)
      }),
  )
  expect(await refused).toBe('script-src-elem')
  await harmless(page)
})

interface Seen {
  /** Requests that left for another server. */
  foreign: string[]
  dialogs: string[]
  windows: number
}

function watch(page: Page, url: string): Seen {
  const seen: Seen = { foreign: [], dialogs: [], windows: 0 }
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== url && !['data:', 'blob:'].includes(protocol)) seen.foreign.push(request.url())
  })
  page.on('popup', () => {
    seen.windows += 1
  })
  page.on('dialog', (dialog) => {
    seen.dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  return seen
}

/** Nothing ran, and nothing is there that could. */
async function harmless(page: Page): Promise<void> {
  expect(await page.evaluate(() => Reflect.get(window, 'ran'))).toBeUndefined()
  const risky = 'main, aside'
    .split(', ')
    .map((part) => `${part} :is(script, iframe, object, embed, style, [onerror], [onload], [srcdoc])`)
  await expect(page.locator(risky.join(', '))).toHaveCount(0)
  await expect(page.locator('[href^="javascript:" i], [href^="data:" i]')).toHaveCount(0)
}
