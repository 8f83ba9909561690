import { type Failure, failure } from '../../domain/failure.ts'

/** How one practice model behaves. Times are in ms before scaling. */
export interface Play {
  /** Until the first piece, or until the fault. */
  firstMs: number
  /** Until the last piece. */
  totalMs: number
  /** `stall` never sends a piece. */
  answer: 'short' | 'long' | 'cut' | 'stall'
  /** What goes wrong with this run, null when nothing does. */
  fault(run: PlayedRun): Failure | null
}

/** What a fault may depend on. */
export interface PlayedRun {
  attempt: number
  /** True for the first, third, fifth … run of this prompt's text with this model since the process started. */
  firstOfTwo(): boolean
}

const steady: Play = { firstMs: 400, totalMs: 3_000, answer: 'short', fault: () => null }
const faulty = (fault: Play['fault']): Play => ({ ...steady, firstMs: 600, fault })

/** Every practice model by name; the first is the default. */
export const practicePlays: Readonly<Record<string, Play>> = {
  practice: steady,
  'practice-fast': { ...steady, firstMs: 0, totalMs: 0 },
  'practice-slow': { ...steady, firstMs: 3_000, totalMs: 20_000 },
  'practice-long': { ...steady, totalMs: 12_000, answer: 'long' },
  'practice-flaky': faulty(({ attempt }) =>
    attempt < 3
      ? failure(
          'provider_5xx',
          `Practice: the provider failed on attempt ${attempt}. The third attempt succeeds.`,
        )
      : null,
  ),
  'practice-rate-limited': faulty(({ firstOfTwo }) =>
    firstOfTwo()
      ? failure(
          'rate_limit',
          'Practice: the provider takes no more requests now. It asks to come back in 2 s.',
          {
            retryAfterMs: 2_000,
          },
        )
      : null,
  ),
  'practice-failing': faulty(() =>
    failure(
      'provider_4xx',
      'Practice: the provider refused the request. It always does; choose another model.',
    ),
  ),
  'practice-fail-once': faulty(({ firstOfTwo }) =>
    firstOfTwo()
      ? failure(
          'provider_4xx',
          'Practice: the provider refused the request this once. Retry, and it succeeds.',
        )
      : null,
  ),
  'practice-broken': faulty(() =>
    failure('unknown', 'Practice: something unknown went wrong. It always does; choose another model.'),
  ),
  'practice-truncated': { ...steady, answer: 'cut' },
  'practice-filtered': faulty(() =>
    failure(
      'provider_4xx',
      'Practice: the answer was blocked by the provider’s filter. Rephrase the prompt.',
    ),
  ),
  'practice-stall': { ...steady, answer: 'stall' },
}

const playByWord: Readonly<Record<string, string>> = {
  fast: 'practice-fast',
  slow: 'practice-slow',
  long: 'practice-long',
  flaky: 'practice-flaky',
  limited: 'practice-rate-limited',
  'rate-limited': 'practice-rate-limited',
  fail: 'practice-failing',
  failing: 'practice-failing',
  'fail-once': 'practice-fail-once',
  broken: 'practice-broken',
  truncated: 'practice-truncated',
  filtered: 'practice-filtered',
  stall: 'practice-stall',
}

/**
 * The play for a model and prompt, undefined for a model that is none of ours. With the default model, an opening
 * word such as `Slow:` or `flaky:` (any case) chooses the play.
 */
export function playFor(model: string, prompt: string): { name: string; play: Play } | undefined {
  const word = model === 'practice' ? /^\s*([a-z-]+)\s*:/i.exec(prompt)?.[1]?.toLowerCase() : undefined
  const name = (word !== undefined && Object.hasOwn(playByWord, word) && playByWord[word]) || model
  const play = Object.hasOwn(practicePlays, name) ? practicePlays[name] : undefined
  return play && { name, play }
}
