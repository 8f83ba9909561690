import { failure } from '../../domain/failure.ts'
import type {
  AttemptResult,
  CallOptions,
  ModelProvider,
  ModelRequest,
  ProviderFailure,
} from '../../domain/ports.ts'

/** A call that the test answers when it likes. */
export interface ScriptedCall {
  request: ModelRequest
  options: CallOptions
  answer(text: string, more?: Partial<AttemptResult>): void
  fail(result: Partial<ProviderFailure> & Pick<ProviderFailure, 'failure'>): void
}

/** A provider whose calls wait for the test. An aborted call ends at once, as `aborted`. */
export interface ScriptedProvider extends ModelProvider {
  readonly calls: ScriptedCall[]
  /** The n-th call (from 0), as soon as it is made. */
  call(index: number): Promise<ScriptedCall>
}

export function scriptedProvider(id = 'scripted'): ScriptedProvider {
  const calls: ScriptedCall[] = []
  const waiters = new Map<number, (call: ScriptedCall) => void>()
  return {
    id,
    practice: false,
    defaultModel: 'script-1',
    models: () => ['script-1', 'script-2'],
    calls,
    call: (index) =>
      new Promise((resolve) => {
        const made = calls[index]
        if (made) resolve(made)
        else waiters.set(index, resolve)
      }),
    run: (request, options) =>
      new Promise((resolve) => {
        const call: ScriptedCall = {
          request,
          options,
          answer: (text, more = {}) =>
            resolve({
              ok: true,
              text,
              finishReason: 'stop',
              model: request.model,
              requestId: null,
              inputTokens: null,
              outputTokens: null,
              ...more,
            }),
          fail: (result) => resolve({ ok: false, aborted: false, requestId: null, ...result }),
        }
        options.signal.addEventListener('abort', () =>
          call.fail({ aborted: true, failure: failure('unknown', 'ended') }),
        )
        const index = calls.push(call) - 1
        waiters.get(index)?.(call)
      }),
  }
}
