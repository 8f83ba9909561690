import { setTimeout as wait } from 'node:timers/promises'
import { v7 as uuidV7 } from 'uuid'
import { spreadOf } from '../percentiles.ts'
import type { QueueUnderTest } from './queue-under-test.ts'

export interface QueueSpec {
  /** Jobs of each measurement. */
  jobs: number
  /** Batches of a thousand. */
  many: number
  latencySamples: number
  concurrencies: readonly number[]
}

export interface QueueFigures {
  enqueue: Record<string, number>
  processed: Record<string, number>
  startMs: { p50: number; p99: number }
}

/** Enqueued a second, processed a second, and the time from a commit to the handler's start; the peers measure alike. */
export async function measureQueue(queue: QueueUnderTest, spec: QueueSpec): Promise<QueueFigures> {
  const { jobs, many, latencySamples, concurrencies } = spec
  const ids = (count: number) => Array.from({ length: count }, () => uuidV7())
  const enqueue = {
    one: await perSecond(jobs, async () => {
      for (const id of ids(jobs)) await queue.enqueue(id)
    }),
    ten: await perSecond(jobs, () =>
      Promise.all(
        Array.from({ length: 10 }, async () => {
          for (const id of ids(jobs / 10)) await queue.enqueue(id)
        }),
      ),
    ),
    'batches of 1000': await perSecond(many * 1_000, async () => {
      for (let n = 0; n < many; n++) await queue.enqueueMany(ids(1_000))
    }),
  }
  const processed: Record<string, number> = {}
  for (const concurrency of concurrencies) {
    await queue.clear()
    for (let left = jobs; left > 0; left -= 1_000) await queue.enqueueMany(ids(Math.min(left, 1_000)))
    processed[concurrency] = await perSecond(jobs, () => queue.process(concurrency, jobs))
  }
  await queue.clear()
  const startMs = await latency(queue, latencySamples)
  return { enqueue, processed, startMs }
}

async function latency(queue: QueueUnderTest, samples: number): Promise<{ p50: number; p99: number }> {
  const times: number[] = []
  let started = (): void => {}
  const follower = await queue.follow(() => started())
  for (let n = 0; n < samples; n++) {
    const start = new Promise<void>((resolve) => (started = resolve))
    await queue.enqueueAndTell(uuidV7())
    const committed = performance.now()
    await start
    times.push(Math.max(0, performance.now() - committed))
    await wait(5)
  }
  await follower.stop()
  const { p50, p99 } = spreadOf(times)
  return { p50, p99 }
}

async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return Math.round((count / (performance.now() - start)) * 1_000)
}
