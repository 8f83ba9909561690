import { type Script, type ScriptedServer, startScriptedServer } from './scripted-provider-server.ts'

/** What a key in an error body looks like; no sentence may hold it. */
export const leakedKey = 'sk-leaked-0123456789abcdef'

export const htmlPage = `<!doctype html><html><head><title>502 Bad Gateway</title></head><body>${'<p>cloud proxy</p>'.repeat(2_000)}</body></html>`

const openAiError = (message: string, type: string, code: string | number | null = null) => ({
  error: { message, type, param: null, code },
})
const fail =
  (status: number, body: unknown, headers: Record<string, string> = {}): Script =>
  (answer) =>
    answer.fail(status, body, { 'x-request-id': 'req-1', ...headers })
const limited = (headers: Record<string, string>) =>
  fail(429, openAiError('Slow down', 'rate_limit_error', 'rate_limit_exceeded'), headers)
const refused = (status: number, message = 'no') =>
  fail(status, openAiError(message, 'invalid_request_error'))
const json =
  (body: unknown): Script =>
  (answer) =>
    answer.fail(200, body)
const event = (body: unknown) => `data: ${JSON.stringify(body)}\n\n`
/** Two pieces of an answer, then these bytes, then the end. */
const afterText =
  (bytes: string): Script =>
  (answer) => {
    answer.delta('Half an ')
    answer.delta('answer')
    answer.raw(bytes)
    answer.response.end()
  }
const stream =
  (bytes: string): Script =>
  (answer) => {
    answer.raw(bytes)
    answer.response.end()
  }
const completion = (choices: unknown) => ({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices,
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
})

/** Every fault that providers were seen to have, by name; what each must become is in the tests. */
export const faults = {
  'rate-limit-seconds': limited({ 'retry-after': '5' }),
  'rate-limit-date': limited({
    'retry-after': 'Sun, 01 Mar 2026 12:00:10 GMT',
    date: 'Sun, 01 Mar 2026 12:00:00 GMT',
  }),
  'rate-limit-ms': limited({ 'retry-after-ms': '2500', 'retry-after': '9' }),
  'rate-limit-zero': limited({ 'retry-after': '0' }),
  'rate-limit-junk': limited({ 'retry-after': '120, 60' }),
  'rate-limit-century': limited({ 'retry-after': '1000000000' }),
  'rate-limit-bare': fail(429, 'slow down'),
  quota: fail(
    429,
    openAiError(
      'You exceeded your current quota, please check your plan.',
      'insufficient_quota',
      'insufficient_quota',
    ),
  ),
  'quota-by-sentence': fail(
    429,
    openAiError('You exceeded your current quota, please check your plan and billing details.', 'error'),
  ),
  'quota-402': fail(402, { error: { message: 'Insufficient Balance', code: 402 } }),
  'quota-400': fail(400, {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' },
  }),
  'limit-by-minute': fail(
    429,
    [
      {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'You exceeded your current quota, please retry.',
        },
      },
    ],
    { 'retry-after': '7' },
  ),
  'status-500': fail(
    500,
    openAiError(`Error at handler (/srv/app.js:10:3) key ${leakedKey}`, 'server_error'),
  ),
  'status-503': fail(503, openAiError('The engine is overloaded', 'server_error')),
  'status-503-wait': fail(503, '', { 'retry-after': '20' }),
  'status-529': fail(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  'status-502-html': fail(502, htmlPage, { 'content-type': 'text/html' }),
  'status-520-html': fail(520, htmlPage, { 'content-type': 'text/html' }),
  'status-401': fail(
    401,
    openAiError(`Incorrect API key provided: ${leakedKey}.`, 'invalid_request_error', 'invalid_api_key'),
  ),
  'status-403': fail(403, openAiError('Country not supported', 'request_forbidden')),
  'status-404': refused(404, 'The model does not exist'),
  'status-400': refused(400, 'Unsupported value for temperature'),
  'status-400-markup': refused(400, '<img src=x onerror=alert(1)> {"a":1}'),
  'status-400-key': refused(400, `Bad header Authorization: Bearer ${leakedKey}`),
  'status-400-foreign': fail(400, { oops: [1, 2, { deep: true }] }),
  'status-422-detail': fail(422, { detail: [{ loc: ['body'], msg: 'field required' }] }),
  'too-long': fail(
    400,
    openAiError(
      "This model's maximum context length is 4096 tokens.",
      'invalid_request_error',
      'context_length_exceeded',
    ),
  ),
  'status-413': fail(413, 'Payload Too Large'),
  'status-408': refused(408),
  'status-409': refused(409),
  'prompt-filter': fail(400, {
    error: {
      message: 'The response was filtered',
      code: 'content_filter',
      innererror: {
        code: 'ResponsibleAIPolicyViolation',
        content_filter_result: {
          hate: { filtered: false },
          violence: { filtered: true, severity: 'medium' },
        },
      },
    },
  }),
  redirect: fail(302, '', { location: 'http://127.0.0.1:1/v1/chat/completions' }),
  'hang-up': (answer) => answer.hangUp(),
  silence: () => {},
  stall: (answer) => {
    answer.delta('Half an answer')
  },
  'keep-alive-only': (answer) => {
    answer.raw(': keep-alive\n\n')
    const timer = setInterval(() => answer.raw(': keep-alive\n\n'), 20)
    answer.response.once('close', () => clearInterval(timer))
  },
  'error-body-stall': (answer) => {
    answer.response.writeHead(500, { 'content-type': 'application/json' })
    answer.response.write('{"error":')
  },
  'reset-mid-stream': async (answer) => {
    answer.delta('Half an answer')
    await new Promise((resolve) => setImmediate(resolve))
    answer.hangUp()
  },
  'ends-early': afterText(''),
  'ends-early-done': afterText('data: [DONE]\n\n'),
  'empty-stream': stream(''),
  'empty-stream-done': stream('data: [DONE]\n\n'),
  'html-200': (answer) => answer.fail(200, htmlPage, { 'content-type': 'text/html' }),
  'html-200-as-stream': (answer) => answer.fail(200, htmlPage, { 'content-type': 'text/event-stream' }),
  'text-200': (answer) => answer.fail(200, 'upstream connect error'),
  'empty-200': (answer) => answer.fail(200, ''),
  'empty-204': (answer) => answer.response.writeHead(204).end(),
  'error-in-200': json(openAiError('The server had an error', 'server_error')),
  'error-in-200-as-stream': (answer) =>
    answer.fail(200, openAiError('no such model', 'invalid_request_error', 'model_not_found'), {
      'content-type': 'text/event-stream',
    }),
  'error-string-in-200': json({ error: 'out of memory' }),
  'limit-in-200': json({ error: { message: 'Rate limit exceeded', code: 429 } }),
  'event-error-number': afterText(event({ error: { message: 'Provider returned error', code: 503 } })),
  'event-error-string': afterText(
    event({ error: { message: 'busy', type: 'server_error', code: 'server_error' } }),
  ),
  'event-error-first': stream(event({ error: { message: 'Overloaded', type: 'overloaded_error' } })),
  'event-error-named': afterText('event: error\ndata: {"message":"Internal Server Error","code":500}\n\n'),
  'event-error-as-text': afterText(event({ error: 'the model runner has stopped' })),
  'event-error-own-field': afterText('error: {"code":500,"message":"slot failed","type":"server_error"}\n\n'),
  'event-error-after-choices': afterText(
    event({
      ...completion([{ index: 0, delta: {}, finish_reason: 'error' }]),
      error: { code: 502, message: 'x' },
    }),
  ),
  'broken-line': afterText('data: {"choices":[{"delta":{"content":"x\n\n'),
  'broken-line-open': (answer) => {
    answer.delta('Half an answer')
    answer.raw('data: {"choices":[{"delta":\n\n')
  },
  'cut-frame-then-error': afterText(
    'data: {"choices":[{"delta":{"con\ndata: {"error":{"message":"Overloaded","code":503}}\n\n',
  ),
  'cut-frame-glued-to-error': afterText(
    'data: {"choices":[{"delta":{"condata: {"error":{"message":"Overloaded","code":503}}\n\n',
  ),
  'cut-frame-then-event': async (answer) => {
    answer.delta('Half an answer')
    answer.raw('data: {"choices":[{"delta":{"con\n\n')
    await new Promise((resolve) => setTimeout(resolve, 30))
    answer.raw('event: error\ndata: {"error":{"message":"Overloaded","code":503}}\n\n')
  },
  'foreign-event': stream(event({ foo: 'bar' })),
  'no-choices': stream(`${event(completion([]))}data: [DONE]\n\n`),
  'no-choices-json': json(completion([])),
  'foreign-json': json({ type: 'message', content: [] }),
  'broken-json': (answer) =>
    answer.fail(200, '{"choices":[{"message":{"content":"hal', { 'content-type': 'application/json' }),
  'finish-filter': (answer) => answer.finish('content_filter'),
  'finish-filter-text': (answer) => {
    answer.delta('Half an answer')
    answer.finish('content_filter')
  },
  refusal: stream(
    `${event(completion([{ index: 0, delta: { role: 'assistant', content: null, refusal: 'I cannot help.' }, finish_reason: null }]))}${event(completion([{ index: 0, delta: {}, finish_reason: 'stop' }]))}data: [DONE]\n\n`,
  ),
  'null-content': stream(
    `${event(completion([{ index: 0, delta: { role: 'assistant', content: null }, finish_reason: 'stop' }]))}data: [DONE]\n\n`,
  ),
  'null-content-json': json(
    completion([{ index: 0, message: { role: 'assistant', content: null }, finish_reason: 'stop' }]),
  ),
  'empty-text': (answer) => answer.finish('stop'),
  'blank-text': (answer) => {
    answer.delta(' \n ')
    answer.finish('stop')
  },
  'length-without-text': (answer) => answer.finish('length'),
  'tool-call': (answer) => answer.finish('tool_calls'),
  'unknown-finish': (answer) => {
    answer.delta('Half an answer')
    answer.finish('insufficient_system_resource')
  },
} satisfies Record<string, Script>

export type FaultName = keyof typeof faults

/** A provider on loopback that plays the fault last told to every request, for real: bytes, silence, a cut connection. */
export async function startFaultServer(): Promise<ScriptedServer & { play(fault: FaultName): void }> {
  const server = await startScriptedServer()
  return { ...server, play: (fault) => server.otherwise(faults[fault]) }
}
