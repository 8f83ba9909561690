import type { PromptView } from '../../../shared/prompt-view.ts'
import { createMemoryStore, type KeptStore } from '../outbox/kept-store.ts'
import { createIdMint } from '../outbox/mint-id.ts'
import { createSync, type Sync } from '../sync.ts'
import { createFakeEventSources } from './fake-event-source.ts'
import { idOf, makeView } from './make-view.ts'
import { createManualClock, settled } from './manual-clock.ts'
import { createScriptedServer, type SeenCall } from './scripted-server.ts'

const started: Sync[] = []

/** Ends what the tests of this file started. */
export function stopSyncs(): void {
  for (const sync of started.splice(0)) sync.stop()
}

/** A page with its server, by hand: nothing but the clock, the network and the stores is not the real thing. */
export function setUpSync(
  rows: readonly PromptView[] = [],
  over: { store?: KeptStore; window?: Window } = {},
) {
  const clock = createManualClock()
  const server = createScriptedServer()
  const sources = createFakeEventSources()
  const store = over.store ?? { ...createMemoryStore(), isDurable: true }
  for (const row of rows) server.rows.set(row.prompt_id, row)
  server.on(/POST \/prompt$/, (seen) => acceptPrompt(server.rows, seen))
  const sync = createSync({
    fetch: server.fetch,
    openEventSource: sources.open,
    clock,
    random: () => 1,
    mintId: createIdMint(clock.now, (bytes) => bytes.fill(1)),
    store,
    localStorage: undefined,
    window: over.window,
  })
  started.push(sync)
  const hello = () => sources.last().send('hello', { version: '1.0.0', stream_id: idOf(0xccc), cursor: 'x' })
  const goLive = async () => {
    sync.start()
    await settled()
    hello()
    await settled()
  }
  return { clock, server, sources, store, sync, hello, goLive }
}

/** Answers a submit as the server does: a row at revision 1, in the place the request names. */
function acceptPrompt(rows: Map<string, PromptView>, { body }: SeenCall) {
  const { prompt_id, text, parent_id } = requestOf(body)
  const parent = parent_id === undefined ? undefined : rows.get(parent_id)
  const view = makeView(1, {
    prompt_id,
    parent_id: parent_id ?? null,
    correlation_id: parent?.correlation_id ?? prompt_id,
    created_at: '2026-03-01T09:00:01.000Z',
    text_excerpt: text,
  })
  rows.set(prompt_id, view)
  const { job_id, state, created_at } = view
  return { status: 202, body: { prompt_id, job_id, state, as_of: created_at, cursor: 'c', view } }
}

function requestOf(body: unknown): { prompt_id: string; text: string; parent_id?: string } {
  const request: { prompt_id: string; text: string; parent_id?: string } = JSON.parse(JSON.stringify(body))
  return request
}
