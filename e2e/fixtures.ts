import { test as base, type Page } from '@playwright/test'
import { type ScriptedServer, startScriptedServer } from '../bff/adapters/testing/scripted-provider-server.ts'
import { shareSession } from './product/browser-session.ts'
import { type MissionApi, signIn } from './product/mission-api.ts'
import { type Environment, type MissionServer, missionServer } from './product/mission-server.ts'

interface Fixtures {
  /** Settings of the server beside those that every test has; `test.use({ settings: { … } })`. */
  settings: Environment
  /** The one model that there is. */
  model: string
  /** The model server, which does what the test tells it. */
  provider: ScriptedServer
  /** The built product, started, on a data directory of its own. */
  mission: MissionServer
  /** A script's session. */
  api: MissionApi
  /** Opens the page signed in, in the same session as `api`; for tests that prepare it first. */
  signedIn: () => Promise<void>
  /** The page, signed in. */
  field: Page
}

/** Each test has a server, a data directory, a model server and a session that nobody else has. */
export const test = base.extend<Fixtures>({
  settings: [{}, { option: true }],

  model: ['scripted', { option: true }],

  provider: async ({ model }, use) => {
    const provider = await startScriptedServer({ models: [model] })
    await use(provider)
    await provider.close()
  },

  mission: async ({ provider, model, settings }, use, testInfo) => {
    const mission = await missionServer({
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'a-key-of-the-tests',
      MISSION_MODEL: model,
      MISSION_BACKOFF_SCALE: '0.02',
      ...settings,
    })
    try {
      await mission.start()
      await use(mission)
    } finally {
      if (testInfo.status !== testInfo.expectedStatus) {
        await testInfo.attach('server', { body: await mission.words(), contentType: 'text/plain' })
      }
      await mission.dispose()
    }
  },

  api: async ({ mission }, use) => {
    await use(await signIn(mission.loginUrl))
  },

  signedIn: async ({ context, page, api }, use) => {
    await use(async () => {
      await shareSession(context, api)
      await page.goto(api.url)
    })
  },

  field: async ({ page, signedIn }, use) => {
    await signedIn()
    await use(page)
  },
})

export { expect } from '@playwright/test'
