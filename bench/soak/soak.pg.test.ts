import { expect, test } from 'vitest'
import { runSoak } from './run-soak.ts'
import type { SoakOptions } from './soak-options.ts'

/** On its own PostgreSQL, since it crashes it. Two of them share nothing, and run one after the other. */
const small: SoakOptions = {
  seed: 20_260_312,
  prompts: 120,
  servers: 2,
  workers: 2,
  killEveryMs: 1_000,
  kills: 5,
  restarts: 1,
  window: 24,
}
/** Half a minute each on two cores of their own. */
const testMs = 400_000

test(
  'nothing acknowledged is lost or done twice while workers and the database die, and a seed repeats its end',
  async () => {
    const said: string[] = []
    const soak = () => runSoak(small, (line) => said.push(line), new AbortController().signal)
    const first = await soak()
    expect(first.broken, said.join('\n')).toEqual([])
    expect(first).toMatchObject({ kills: 5, outagesMs: [expect.any(Number)] })
    expect(first.reclaims.reclaims).toBeGreaterThan(0)
    const second = await soak()
    expect(second.broken, said.join('\n')).toEqual([])
    expect([second.planDigest, second.finalDigest]).toEqual([first.planDigest, first.finalDigest])
  },
  testMs,
)
