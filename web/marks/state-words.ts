import type { Verdict } from '../../shared/entity.ts'
import type { ErrorKind } from '../../shared/job.ts'
import type { DiscKind } from './look-of.ts'

/** `word` as in lists, counts and names; `lead` opens the line below a title and stands out where `strong`. */
export type StateWords = { readonly word: string; readonly lead: string; readonly strong: boolean }

/** The one table of state words. Shape first, then the word, then colour: each shape has its word here. */
export const stateWords: Readonly<Record<DiscKind, StateWords>> = {
  unsent: { word: 'not sent yet', lead: 'Kept here', strong: true },
  orphan: { word: 'failed', lead: 'Failed', strong: true },
  review: { word: 'taking longer than usual', lead: 'Taking longer than usual', strong: true },
  pending: { word: 'answering', lead: 'Answering', strong: true },
  external: { word: 'at work', lead: 'Waiting on', strong: true },
  queued: { word: 'waiting', lead: 'Waiting', strong: true },
  cancelled: { word: 'cancelled', lead: 'cancelled', strong: false },
  superseded: { word: 'replaced', lead: 'replaced', strong: false },
  truncated: { word: 'cut short', lead: 'answered, cut at the limit', strong: false },
  new: { word: 'new', lead: 'new', strong: true },
  promoted: { word: 'promoted', lead: 'promoted', strong: false },
  settled: { word: 'answered', lead: 'answered', strong: false },
  raft: { word: 'bulk', lead: '', strong: false },
}

/** Two clauses for each way to fail: what happened, what helps. */
export const failureWords: Readonly<
  Record<ErrorKind, { readonly happened: string; readonly helps: string }>
> = {
  timeout: { happened: 'no answer came in time', helps: 'Retry, or give it a longer budget' },
  rate_limit: {
    happened: 'the provider’s limit is used up',
    helps: 'Raise it or choose another model, then retry',
  },
  provider_5xx: { happened: 'the provider had a fault of its own', helps: 'Retry, it may be over' },
  provider_4xx: {
    happened: 'the provider refused the request',
    helps: 'Change the prompt or the model, then retry',
  },
  parse: { happened: 'what came back was not an answer', helps: 'Retry, or choose another model' },
  auth: { happened: 'the provider refused the key', helps: 'Renew it, then retry' },
  worker_crash: {
    happened: 'the server stopped while answering, more than once',
    helps: 'Retry; if it stops again, its log says why',
  },
  stuck: { happened: 'it gave no sign of life for too long', helps: 'Retry, or give it a longer budget' },
  unknown: { happened: 'something unexpected went wrong', helps: 'Retry; the trace says more' },
  external: { happened: 'the cluster job ended badly', helps: 'The trace says how; then retry' },
}

export const verdictWords: Readonly<Record<Verdict, string>> = {
  confirmed: 'confirmed',
  refuted: 'refuted',
  needs_work: 'needs work',
}

/** What a failed prompt says of itself, in two sentences. A failure without a kind is an unknown one. */
export function failureSentence(kind: ErrorKind | null): string {
  const { happened, helps } = failureWords[kind ?? 'unknown']
  return `${happened}. ${helps}.`
}
