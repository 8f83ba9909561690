import type { ErrorKind } from '../../../shared/job.ts'
import { failure } from '../../domain/failure.ts'
import type { AttemptResult, ModelProvider, ModelRequest, ProviderFailure } from '../../domain/ports.ts'

/** A call that waits for the proof to answer it. */
export interface ScriptedCall {
  /** The prompt's own text, by which a proof tells its prompts apart. */
  readonly text: string
  readonly aborted: boolean
  answer(text: string): void
  fail(kind: ErrorKind): void
}

/** Answers when and as the proof says. A call that is aborted ends at once. */
export interface ScriptedProvider extends ModelProvider {
  /** Every call so far, in the order in which they were made. */
  readonly calls: readonly ScriptedCall[]
}

export const scriptedModel = 'script-1'

export function scriptedProvider(): ScriptedProvider {
  const calls: ScriptedCall[] = []
  return {
    id: 'proof',
    practice: true,
    defaultModel: scriptedModel,
    models: () => [scriptedModel],
    calls,
    run: (request, { signal, onDelta }) =>
      new Promise<AttemptResult | ProviderFailure>((resolve) => {
        calls.push({
          text: request.turns.at(-1)?.text ?? '',
          get aborted() {
            return signal.aborted
          },
          answer(text) {
            onDelta(text)
            resolve(wholeAnswer(request, text))
          },
          fail: (kind) => resolve(ended(kind, `The script says ${kind}.`, false)),
        })
        signal.addEventListener('abort', () => resolve(ended('unknown', 'The call was ended.', true)))
      }),
  }
}

function wholeAnswer(request: ModelRequest, text: string): AttemptResult {
  return {
    ok: true,
    text,
    finishReason: 'stop',
    model: request.model,
    requestId: null,
    inputTokens: null,
    outputTokens: null,
  }
}

function ended(kind: ErrorKind, message: string, aborted: boolean): ProviderFailure {
  return { ok: false, aborted, failure: failure(kind, message), requestId: null }
}
