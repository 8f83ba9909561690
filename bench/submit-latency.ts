import { rounded, type Spread, spreadOf } from './percentiles.ts'
import { type RunningServer, runServer } from './running-server.ts'

const singles = 300
const rounds = 20
const together = 50

interface SubmitFigures {
  oneAtATime: Spread
  fiftyAtOnce: Spread
}

/**
 * POST → 202 against a built server with disk sync on: one at a time, and fifty at once. `busy` has the worker run the
 * submitted prompts meanwhile; `idle` serves without one, so that the difference is the worker's share.
 */
export async function submitLatency(): Promise<Record<string, unknown>> {
  const busy = await measured({ MISSION_MODEL: 'practice-fast' }, [])
  const slow = await measured({ MISSION_MODEL: 'practice' }, [])
  const idle = await measured({}, ['--no-worker'])
  return {
    'worker busy (each job answered at once)': busy,
    'worker busy (eight jobs streaming)': slow,
    'no worker': idle,
    'busy / no worker, p99 one at a time': rounded(busy.oneAtATime.p99 / idle.oneAtATime.p99),
  }
}

async function measured(env: Record<string, string>, args: readonly string[]): Promise<SubmitFigures> {
  const server = await runServer({ MISSION_DISK_SYNC: 'on', ...env }, args)
  try {
    for (let warm = 0; warm < 20; warm += 1) await submit(server, env.MISSION_MODEL)
    const alone: number[] = []
    for (let index = 0; index < singles; index += 1) alone.push(await submit(server, env.MISSION_MODEL))
    const fifty = () => Promise.all(Array.from({ length: together }, () => submit(server, env.MISSION_MODEL)))
    // The first opens fifty connections, which is not what is measured.
    await fifty()
    const crowd: number[] = []
    for (let round = 0; round < rounds; round += 1) crowd.push(...(await fifty()))
    return { oneAtATime: spreadOf(alone), fiftyAtOnce: spreadOf(crowd) }
  } finally {
    await server.close()
  }
}

/** @returns how long the 202 took, in ms. */
async function submit(server: RunningServer, model: string | undefined): Promise<number> {
  const body = JSON.stringify({ text: 'Measure me, please.', options: model === undefined ? {} : { model } })
  const headers = { 'content-type': 'application/json', cookie: server.cookie }
  const start = performance.now()
  const response = await fetch(`${server.url}/api/v1/prompt`, { method: 'POST', headers, body })
  await response.arrayBuffer()
  if (response.status !== 202) throw new Error(`expected 202, got ${response.status}`)
  return performance.now() - start
}
