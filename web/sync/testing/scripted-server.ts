import type { FieldResponse, SessionResponse } from '../../../shared/observe.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import { idOf } from './make-view.ts'

/** What one call is answered: a body with its status, `offline`, or a promise of either, to hold it back. */
export type Reply = { status: number; body?: unknown; headers?: Record<string, string> } | 'offline'
export interface SeenCall {
  readonly method: string
  /** Path and query, from `/api/v1` on. */
  readonly path: string
  readonly body: unknown
}

/** Answers `fetch` by hand: `on` sets what the calls to a path are answered, the latest rule that fits wins. */
export interface ScriptedServer {
  readonly fetch: typeof fetch
  readonly calls: SeenCall[]
  on(call: RegExp, reply: (seen: SeenCall) => Reply | Promise<Reply>): void
  /** How often a call that fits was made. */
  count(call: RegExp): number
  /** Rows that the server has, for `field`, `views`, `recent` and single prompts as they are answered by default. */
  readonly rows: Map<string, PromptView>
}

export function createScriptedServer(): ScriptedServer {
  const calls: SeenCall[] = []
  const rules: { call: RegExp; reply: (seen: SeenCall) => Reply | Promise<Reply> }[] = []
  const rows = new Map<string, PromptView>()
  const on: ScriptedServer['on'] = (call, reply) => rules.unshift({ call, reply })

  on(/GET \/session/, () => ({ status: 200, body: makeSession() }))
  on(/GET \/mission\/field/, () => ({ status: 200, body: fieldOf([...rows.values()]) }))
  on(/GET \/mission\/recent/, () => ({
    status: 200,
    body: {
      entities: [...rows.values()],
      as_of: '2026-03-01T09:00:00.000Z',
      cursor: 'polled',
      has_more: false,
      before: null,
    },
  }))
  on(/GET \/mission\/views/, ({ path }) => {
    const ids = new URLSearchParams(path.split('?')[1]).get('ids')?.split(',') ?? []
    return { status: 200, body: { views: ids.flatMap((id) => rows.get(id) ?? []), cursor: 'views' } }
  })
  on(/PUT \/mission\/streams/, () => ({ status: 204 }))
  on(/POST \/prompts\/seen/, () => ({ status: 204 }))

  return {
    calls,
    rows,
    on,
    count: (call) => calls.filter(({ method, path }) => call.test(`${method} ${path}`)).length,
    async fetch(input, init) {
      const method = init?.method ?? 'GET'
      const path = String(input).replace('/api/v1', '')
      const seen = {
        method,
        path,
        body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
      }
      calls.push(seen)
      const rule = rules.find(({ call }) => call.test(`${method} ${path}`))
      if (rule === undefined) throw new Error(`nothing answers ${method} ${path}`)
      const reply = await Promise.race([rule.reply(seen), aborted(init?.signal)])
      if (reply === 'offline') throw new TypeError('fetch failed')
      const text = reply.body === undefined ? null : bodyText(reply.body)
      return new Response(text, { status: reply.status, headers: reply.headers })
    },
  }
}

export function makeSession(over: Partial<SessionResponse> = {}): SessionResponse {
  return {
    person: { id: idOf(0xaaa), name: 'Ada' },
    org: { id: idOf(0xbbb), name: 'Home' },
    role: 'owner',
    version: '1.0.0',
    epoch: 'first',
    time_zone: null,
    now: '2026-03-01T09:00:00.000Z',
    provider: { id: 'practice', model: null, practice: true, found: null },
    settings: { debug: false, single_keys: true },
    ...over,
  }
}

export function problemBody(status: number, code: string, detail: string, more: object = {}) {
  return { status, body: { type: 'about:blank', title: code, status, code, detail, ...more } }
}

/** The columns of these rows, with the server's order and a cursor called `field`. */
export function fieldOf(views: readonly PromptView[]): FieldResponse {
  const sorted = [...views].sort((one, other) =>
    `${one.created_at}${one.prompt_id}` < `${other.created_at}${other.prompt_id}` ? -1 : 1,
  )
  const threadIds = [...new Set(sorted.map((view) => view.correlation_id))]
  const ids = sorted.map((view) => view.prompt_id)
  return {
    threads: threadIds.map((id) => {
      const first = sorted.find((view) => view.correlation_id === id)
      return { id, title: first?.thread_title ?? '', order: Date.parse(first?.created_at ?? '') }
    }),
    ids,
    thread: sorted.map((view) => threadIds.indexOf(view.correlation_id)),
    parent: sorted.map((view) => (view.parent_id === null ? -1 : ids.indexOf(view.parent_id))),
    created_at: sorted.map((view) => Date.parse(view.created_at)),
    state: sorted.map((view) => view.state),
    flags: sorted.map((view) => (view.state === 'succeeded' && !view.seen ? 1 : 0)),
    revision: sorted.map((view) => view.revision),
    batch: sorted.map((view) => view.batch_id),
    totals: {},
    cursor: 'field',
  }
}

function aborted(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
}

function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}
