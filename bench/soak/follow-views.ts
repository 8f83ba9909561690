import { setTimeout as wait } from 'node:timers/promises'
import { sseEvents } from '../../shared/change.ts'
import { recentResponse } from '../../shared/observe.ts'
import type { PromptView } from '../../shared/prompt-view.ts'
import type { MissionServer } from './mission-server.ts'

/** A client of a server's stream, which comes back by its cursor whenever the stream ends, as the page does. */
export interface Follower {
  /** The newest view of every prompt that it was told of. */
  readonly views: ReadonlyMap<string, PromptView>
  readonly connections: number
  /** The server said that it cannot continue from our cursor: a gap, which a client that keeps up must never see. */
  readonly resyncs: number
  /** Leaves the stream, so that it comes back by its cursor. */
  leave(): void
  stop(): Promise<void>
}

const againMs = 150
/** More than two beats without a word: the stream is dead whatever its socket says. */
const silentMs = 35_000

/** @param onView hears of each view that is newer than the one before. */
export function followViews(server: MissionServer, onView: (view: PromptView) => void): Follower {
  const views = new Map<string, PromptView>()
  const counts = { connections: 0, resyncs: 0 }
  let cursor: string | null = null
  let stopped = false
  let leave = new AbortController()

  const take = (view: PromptView): void => {
    const known = views.get(view.prompt_id)
    if (known && known.revision >= view.revision) return
    views.set(view.prompt_id, view)
    onView(view)
  }

  const hear = async (event: string, id: string | null, data: unknown): Promise<void> => {
    switch (event) {
      case 'hello':
        counts.connections += 1
        cursor ??= sseEvents.hello.parse(data).cursor
        return
      case 'beat':
        cursor = sseEvents.beat.parse(data).cursor
        return
      case 'resync':
        counts.resyncs += 1
        cursor = sseEvents.resync.parse(data).cursor
        await readAll()
        return
      case 'job.state_changed':
      case 'entity.changed':
        take(sseEvents[event].parse(data))
    }
    if (id !== null) cursor = id
  }

  /** Everything there is, page by page, as after a resync. */
  const readAll = async (): Promise<void> => {
    for (let before: string | null = ''; before !== null; ) {
      const query: string = before === '' ? '' : `&before=${encodeURIComponent(before)}`
      const response = await server.fetch(`/api/v1/mission/recent?limit=500${query}`)
      const page = recentResponse.parse(await response.json())
      for (const view of page.entities) take(view)
      before = page.has_more ? page.before : null
    }
  }

  const follow = async (): Promise<void> => {
    while (!stopped) {
      leave = new AbortController()
      const since = cursor === null ? '' : `?since=${encodeURIComponent(cursor)}`
      try {
        const response = await server.fetch(`/api/v1/mission/events${since}`, { signal: leave.signal })
        if (response.ok && response.body) await readEvents(response.body, leave, hear)
        else await response.body?.cancel()
      } catch {
        // Left by us, cut by the server, or not reachable now: the cursor knows where we were.
      }
      if (!stopped) await wait(againMs)
    }
  }

  const following = follow()
  return {
    views,
    get connections() {
      return counts.connections
    },
    get resyncs() {
      return counts.resyncs
    },
    leave: () => leave.abort(),
    async stop() {
      stopped = true
      leave.abort()
      await following
    },
  }
}

/** An event counts once it is whole: a cut in the middle of one loses nothing, since its id was not taken. */
async function readEvents(
  body: ReadableStream<Uint8Array>,
  leave: AbortController,
  hear: (event: string, id: string | null, data: unknown) => Promise<void>,
): Promise<void> {
  const decoder = new TextDecoder()
  let held = ''
  let silent = setTimeout(() => leave.abort(), silentMs)
  try {
    for await (const chunk of body) {
      clearTimeout(silent)
      silent = setTimeout(() => leave.abort(), silentMs)
      held += decoder.decode(chunk, { stream: true })
      const whole = held.split('\n\n')
      held = whole.pop() ?? ''
      for (const text of whole) {
        const lines = text.split('\n')
        const field = (name: string): string | null =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null
        await hear(field('event') ?? '', field('id'), JSON.parse(field('data') ?? 'null'))
      }
    }
  } finally {
    clearTimeout(silent)
  }
}
