import { setTimeout as wait } from 'node:timers/promises'
import type { MissionProcess } from './mission-process.ts'

/** A worker that was killed by the plan. */
export interface Kill {
  pid: number
  atMs: number
}

/** A worker that ended without being told to. */
export interface UnexpectedEnd {
  pid: number
  atMs: number
  says: string
}

/** Always as many workers as there are slots, as under a supervisor: whichever dies is replaced at once. */
export interface WorkerSlots {
  readonly kills: readonly Kill[]
  readonly unexpectedEnds: readonly UnexpectedEnd[]
  /** Kills the worker of a slot outright, wherever it is in its life, and starts another. */
  kill(slot: number): void
  /** Tells all to end. @returns what went wrong with that. */
  stop(): Promise<string[]>
  /** For when nothing else matters: nothing of it is left running. */
  killAll(): void
}

const againMs = 300
const endMsMax = 10_000

/** @param start makes one worker, its place told by the number; resolves once all are ready for the first time. */
export async function startWorkerSlots(
  count: number,
  start: (generation: number) => MissionProcess,
): Promise<WorkerSlots> {
  const slots: MissionProcess[] = []
  const killed = new Set<MissionProcess>()
  const kills: Kill[] = []
  const unexpectedEnds: UnexpectedEnd[] = []
  let generation = 0
  let stopping = false

  const fill = (slot: number): MissionProcess => {
    const made = start(generation)
    generation += 1
    slots[slot] = made
    void made.ended.then(async ({ code, signal, stderr }) => {
      if (stopping || killed.has(made)) return
      unexpectedEnds.push({ pid: made.pid, atMs: Date.now(), says: `${code ?? signal}: ${stderr.trim()}` })
      await wait(againMs)
      if (!stopping) fill(slot)
    })
    return made
  }

  await Promise.all(Array.from({ length: count }, (_, slot) => fill(slot).ready))
  return {
    kills,
    unexpectedEnds,
    kill(slot) {
      const victim = slots[slot]
      if (stopping || !victim) return
      killed.add(victim)
      kills.push({ pid: victim.pid, atMs: Date.now() })
      victim.kill('SIGKILL')
      fill(slot)
    },
    async stop() {
      stopping = true
      for (const worker of slots) worker.kill('SIGTERM')
      const late = setTimeout(() => {
        for (const worker of slots) worker.kill('SIGKILL')
      }, endMsMax)
      const ends = await Promise.all(slots.map((worker) => worker.ended))
      clearTimeout(late)
      return ends.flatMap(({ code, signal, stderr }) =>
        code === 0 ? [] : [`a worker told to end ended with ${code ?? signal}: ${stderr.trim()}`],
      )
    },
    killAll() {
      stopping = true
      for (const worker of slots) worker.kill('SIGKILL')
    },
  }
}
