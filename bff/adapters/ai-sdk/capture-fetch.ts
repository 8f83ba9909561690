import { type BodyShape, completionAsEvents, parseJson, shapeOf } from './reply-body.ts'

const replyCharsMax = 64 * 1024
const wholeAnswerCharsMax = 16 * 1024 * 1024
const tailCharsMax = 4 * 1024
const doneLine = /(?:^|\n)data: ?\[DONE\]\s*$/
const afterDoneMs = 50

/** What a reply was, kept because the SDK's errors do not say. */
export interface Reply {
  status: number
  headers: Headers
  receivedAt: Date
  /** Undefined until enough of the body has come. */
  shape: BodyShape | undefined
  /** The parsed body where it is whole JSON. */
  json: unknown
  /** The last 4 k characters of a stream. */
  tail: string
  /** The body came to its own end. */
  ended: boolean
}

export interface CapturingFetch {
  fetch: typeof globalThis.fetch
  /** The reply to the last request, null while there is none. */
  reply(): Reply | null
}

/** Thrown into the SDK where there is no stream to parse; `Reply` says what came instead. */
class NoStreamError extends Error {}

/**
 * A fetch for one call. It keeps the facts of the reply, follows no redirect (the base URL is the operator's, where it
 * leads is not), never gives up by itself before `patienceMs`, and hands on nothing but event streams.
 */
export function captureFetch(patienceMs: number, inner?: typeof globalThis.fetch): CapturingFetch {
  let reply: Reply | null = null
  const send = inner ?? patientFetch(patienceMs)
  return {
    reply: () => reply,
    fetch: async (input, init) => {
      const response = await send(input, { ...init, redirect: 'error' })
      const seen: Reply = {
        status: response.status,
        headers: response.headers,
        receivedAt: new Date(),
        shape: undefined,
        json: undefined,
        tail: '',
        ended: false,
      }
      reply = seen
      const body = new BodyReader(response)
      // Fetch holds its own tie to the signal weakly: once collected, an abort would leave the connection open.
      init?.signal?.addEventListener('abort', () => body.cancel(), { once: true })
      return streamFrom(response, body, seen)
    },
  }
}

/**
 * Node's fetch gives up on headers and on a silent body after 300 s, whatever our limits are. Its dispatcher takes both
 * times per request; it is reached by a symbol because Node exports none of it.
 */
function patientFetch(patienceMs: number): typeof globalThis.fetch {
  return (input, init) => {
    // Makes Node load its fetch, which puts the dispatcher there.
    new Headers()
    const dispatcher: unknown = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))
    if (!canDispatch(dispatcher)) return fetch(input, init)
    const times = { headersTimeout: patienceMs, bodyTimeout: patienceMs }
    const patient = {
      dispatch: (options: object, handler: unknown) => dispatcher.dispatch({ ...options, ...times }, handler),
    }
    return fetch(input, Object.assign({}, init, { dispatcher: patient }))
  }
}

function canDispatch(value: unknown): value is { dispatch: (options: object, handler: unknown) => boolean } {
  return (
    typeof value === 'object' && value !== null && 'dispatch' in value && typeof value.dispatch === 'function'
  )
}

async function streamFrom(response: Response, body: BodyReader, seen: Reply): Promise<Response> {
  if (response.ok) {
    const contentType = response.headers.get('content-type') ?? ''
    do {
      seen.shape = shapeOf(body.text, body.ended, contentType)
    } while (seen.shape === undefined && (await body.read()))
    seen.shape ??= shapeOf(body.text, true, contentType)
    if (seen.shape === 'events') return eventStream(body.rest(seen))
  }
  await body.readUpTo(seen.shape === 'json' ? wholeAnswerCharsMax : replyCharsMax)
  seen.ended = body.ended
  seen.json = parseJson(body.text)
  if (seen.shape === 'json' && seen.json === undefined) seen.shape = 'broken-json'
  const events = response.ok ? completionAsEvents(seen.json) : null
  if (events === null) throw new NoStreamError('the reply is no event stream')
  seen.shape = 'events'
  seen.tail = events.slice(-tailCharsMax)
  return eventStream(events)
}

function eventStream(body: ReadableStream<Uint8Array> | string): Response {
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/** Reads a body piece by piece, so that it can be looked at before it is decided who reads the rest. */
class BodyReader {
  text = ''
  ended = false
  readonly #decoder = new TextDecoder()
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined

  constructor(response: Response) {
    this.#reader = response.body?.getReader()
    this.ended = this.#reader === undefined
  }

  /** Adds the next piece to `text`, false at the end. */
  async read(): Promise<boolean> {
    const piece = this.ended ? undefined : await this.#reader?.read()
    this.ended ||= piece === undefined || piece.done
    this.text += piece?.value ? this.#decoder.decode(piece.value, { stream: true }) : ''
    return !this.ended
  }

  /** Reads to the end, or until `text` is longer than `charsMax`; then the rest is given up. */
  async readUpTo(charsMax: number): Promise<void> {
    while (this.text.length <= charsMax && (await this.read())) {}
    if (!this.ended) this.cancel()
  }

  /** Gives the rest up and closes the connection. */
  cancel(): void {
    this.#reader?.cancel().catch(() => {})
  }

  /** What was read already and all that still comes, with `seen.tail` and `seen.ended` kept up to date. */
  rest(seen: Reply): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder()
    const start = this.text
    let started = false
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        let piece = start
        if (started) {
          this.text = ''
          await this.read()
          piece = this.text
        }
        started = true
        seen.tail = (seen.tail + piece).slice(-tailCharsMax)
        controller.enqueue(encoder.encode(piece))
        if (!this.ended && doneLine.test(seen.tail)) await this.#settle()
        seen.ended = this.ended
        if (this.ended) controller.close()
      },
      cancel: () => this.cancel(),
    })
  }

  /** The stream said that it is done: its end is awaited just long enough to keep the connection, then taken for granted. */
  async #settle(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, afterDoneMs)
    })
    await Promise.race([this.read().catch(() => {}), late])
    clearTimeout(timer)
    this.ended = true
  }
}
