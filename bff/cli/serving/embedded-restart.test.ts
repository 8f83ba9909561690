import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { signIn } from '../testing/browser-session.ts'
import { missionIn } from '../testing/mission-process.ts'

/** Starting Node with its TypeScript loader takes seconds on a busy machine. */
const testMs = 400_000
const details = z.looseObject({
  events: z.array(z.looseObject({ kind: z.string(), run: z.nullable(z.number()), at: z.string() })),
})

test(
  'what ran when an embedded server was killed runs again within a second of the next one being ready',
  async () => {
    const mission = missionIn({ MISSION_MODEL: 'practice' })
    const killed = await mission.serve()
    const before = await signIn(killed.loginUrl)
    const { prompt_id, job_id } = await before.submit('Take your time', 'practice-slow')
    await before.until(prompt_id, ({ state }) => state === 'running')
    killed.kill('SIGKILL')
    await killed.ended

    const server = await mission.serve()
    const readyAtMs = Date.now()
    const after = await signIn(server.loginUrl)
    await after.until(prompt_id, ({ state, attempt }) => state === 'running' && attempt > 1)
    const { events } = await mission.json(['job-details', job_id], details)
    const again = events.find(({ kind, run }) => kind === 'job-claimed' && run === 2)
    expect(Date.parse(again?.at ?? '') - readyAtMs).toBeLessThanOrEqual(1_000)
  },
  testMs,
)
