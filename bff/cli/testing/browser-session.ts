import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod/mini'

const submitted = z.object({ prompt_id: z.string(), job_id: z.string() })

/** Signs in by a link as a browser does, and submits prompts. */
export async function signIn(loginUrl: string) {
  const { origin } = new URL(loginUrl)
  const answer = await fetch(loginUrl, { redirect: 'manual' })
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  return {
    status: answer.status,
    get: (path: string) => fetch(`${origin}${path}`, { headers: { cookie } }),
    async submit(text: string, model?: string) {
      const response = await fetch(`${origin}/api/v1/prompt`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ text, options: { model } }),
      })
      if (response.status !== 202) throw new Error(`refused: ${await response.text()}`)
      return submitted.parse(await response.json())
    },
    /** Looks until the prompt's view is as `wanted` says, and gives it back. */
    async until(promptId: string, wanted: (view: View) => boolean): Promise<View> {
      for (let looks = 0; looks < 400; looks += 1) {
        const response = await fetch(`${origin}/api/v1/prompts/${promptId}`, { headers: { cookie } })
        const { view: found } = z.object({ view }).parse(await response.json())
        if (wanted(found)) return found
        await wait(25)
      }
      throw new Error(`prompt ${promptId} never came to that`)
    },
  }
}

const view = z.object({ state: z.string(), attempt: z.number(), job_id: z.string() })
type View = z.infer<typeof view>
