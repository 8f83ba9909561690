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
  /** Whether the worker of a slot runs jobs by now. */
  isReady(slot: number): boolean
  /** Kills the worker of a slot outright, wherever it is in its life, and starts another. */
  kill(slot: number): void
  /** Tells all to end. @returns what went wrong with that. */
  stop(): Promise<string[]>
  /** From now on nobody replaces whoever dies. */
  retire(): void
}

const againMs = 300
const endMsMax = 10_000

/** @param start makes one worker. Resolves once all are ready for the first time. */
export async function startWorkerSlots(count: number, start: () => MissionProcess): Promise<WorkerSlots> {
  const slots: MissionProcess[] = []
  const running = new Set<MissionProcess>()
  const killed = new Set<MissionProcess>()
  const kills: Kill[] = []
  const unexpectedEnds: UnexpectedEnd[] = []
  let stopping = false

  const fill = (slot: number): MissionProcess => {
    const made = start()
    slots[slot] = made
    void made.ready.then((line) => line !== null && running.add(made))
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
    isReady(slot) {
      const worker = slots[slot]
      return worker !== undefined && running.has(worker)
    },
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
      // Before it is ready a process may not listen yet to what ends it in order.
      await Promise.all(slots.map(({ ready }) => ready))
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
    retire() {
      stopping = true
    },
  }
}
