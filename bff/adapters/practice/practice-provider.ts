import { type Failure, failure } from '../../domain/failure.ts'
import type {
  AttemptResult,
  CallOptions,
  Clock,
  ModelProvider,
  ModelRequest,
  ProviderFailure,
} from '../../domain/ports.ts'
import { storable } from '../../domain/prompt-text.ts'
import { pacedWait } from './paced-wait.ts'
import { type Play, playFor, practicePlays } from './practice-plays.ts'
import { longPracticeAnswer, piecesOf, practiceAnswer } from './practice-text.ts'

const piecesMax = 120
const rememberedMax = 10_000

export interface PracticeOptions {
  /** Multiplies every pause; 0 answers at once. */
  paceScale?: number
  /** Default: the machine's timers. */
  clock?: Clock
}

/**
 * The built-in stand-in: it streams plainly artificial text and plays what can go wrong (`practice-plays.ts`).
 *
 * `practice-rate-limited` and `practice-fail-once` fail the first of every two runs of the same prompt text, remembered
 * in this process: a wait or a retry then succeeds, and asking again plays the fault again. A restart forgets.
 */
export function practiceProvider({ paceScale = 1, clock }: PracticeOptions = {}): ModelProvider {
  const wait = pacedWait(clock)
  const failedOnce = new Set<string>()

  async function run(request: ModelRequest, options: CallOptions): Promise<AttemptResult | ProviderFailure> {
    const prompt = request.turns.findLast((turn) => turn.role === 'user')?.text ?? ''
    const found = playFor(request.model, prompt)
    if (!found) return failed(unknownModel(request.model))
    const { play } = found
    const fault = play.fault({
      attempt: request.attempt,
      firstOfTwo: () => isFirstOfTwo(failedOnce, `${found.name} ${prompt}`),
    })
    return perform(play, fault, prompt, request, options)
  }

  async function perform(
    play: Play,
    fault: Failure | null,
    prompt: string,
    { limits, model }: ModelRequest,
    { signal, onDelta }: CallOptions,
  ): Promise<AttemptResult | ProviderFailure> {
    let leftMs = limits.totalMs
    /** Waits for the next piece; what comes back instead of null ends the run. */
    const pause = async (ms: number, silenceMaxMs: number): Promise<ProviderFailure | null> => {
      const limitMs = Math.min(silenceMaxMs, leftMs)
      if (!(await wait(Math.min(ms, limitMs), signal))) return aborted()
      if (ms > limitMs) return failed(tooSlow())
      leftMs -= ms
      return null
    }

    const firstMs = play.answer === 'stall' ? Number.POSITIVE_INFINITY : play.firstMs * paceScale
    const stopped = await pause(firstMs, limits.firstTokenMs)
    if (stopped) return stopped
    if (fault) return failed(fault)

    const whole = storable(play.answer === 'long' ? longPracticeAnswer(prompt) : practiceAnswer(prompt))
    const allPieces = piecesOf(whole, piecesMax)
    const pieces = play.answer === 'cut' ? allPieces.slice(0, Math.ceil(allPieces.length / 2)) : allPieces
    const gapMs = ((play.totalMs - play.firstMs) * paceScale) / pieces.length
    for (const piece of gapMs > 0 ? pieces : [pieces.join('')]) {
      onDelta(piece)
      const cut = await pause(gapMs, limits.silenceMs)
      if (cut) return cut
    }
    return {
      ok: true,
      text: pieces.join(''),
      finishReason: play.answer === 'cut' ? 'length' : 'stop',
      model,
      requestId: null,
      inputTokens: wordCount(prompt),
      outputTokens: wordCount(pieces.join('')),
    }
  }

  return {
    id: 'practice',
    practice: true,
    defaultModel: 'practice',
    models: () => Object.keys(practicePlays),
    run,
  }
}

function isFirstOfTwo(failedOnce: Set<string>, key: string): boolean {
  if (failedOnce.delete(key)) return false
  if (failedOnce.size >= rememberedMax) failedOnce.clear()
  failedOnce.add(key)
  return true
}

function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0
}

function failed(fault: Failure): ProviderFailure {
  return { ok: false, aborted: false, failure: fault, requestId: null }
}

function aborted(): ProviderFailure {
  return {
    ok: false,
    aborted: true,
    failure: failure('unknown', 'The call was stopped by us. Nothing went wrong.', { retryable: false }),
    requestId: null,
  }
}

function tooSlow(): Failure {
  return failure(
    'timeout',
    'Practice: the provider was silent for too long, and the call was ended. Try again.',
  )
}

function unknownModel(model: string): Failure {
  const name = model.slice(0, 60)
  return failure(
    'provider_4xx',
    `The practice provider has no model “${name}”. Choose one of its own models.`,
  )
}
