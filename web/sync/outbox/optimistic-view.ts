import { maxAttemptsDefault, priorityDefault } from '../../../shared/job.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import type { SubmitRequest } from '../../../shared/submit.ts'
import { excerptCharsMax } from '../../../shared/text.ts'
import type { OutboxEntry } from './kept-store.ts'

const titleCharsMax = 80

/**
 * How a prompt looks before the server has seen it: waiting, at a revision below every real one, so that whatever
 * the server says of it replaces all of this.
 */
export function optimisticView(entry: OutboxEntry): PromptView {
  const { request } = entry
  const options = request.options ?? {}
  const createdAt = new Date(entry.created_at).toISOString()
  const planned = plannedOf(options.scheduled_for)
  return {
    prompt_id: entry.prompt_id,
    job_id: entry.prompt_id,
    state: 'queued',
    revision: -1,
    attempt: 1,
    max_attempts: options.max_attempts ?? maxAttemptsDefault,
    priority: options.priority ?? priorityDefault,
    error_kind: null,
    error_message: null,
    retry_at: null,
    wait_reason: planned.scheduled_for
      ? { code: 'scheduled', at: planned.scheduled_for }
      : { code: 'in_line' },
    response_id: null,
    parent_id: entry.parent_id,
    correlation_id: entry.thread_id,
    thread_title: entry.thread_title,
    context_ids: options.context_ids ?? [],
    verdict: null,
    truncated: false,
    promoted: false,
    practice: false,
    provider: options.prefer_provider ?? null,
    model: options.model ?? null,
    tokens: null,
    soft_review_at: null,
    started_at: null,
    finished_at: null,
    budget: options.budget ?? 'unknown',
    expected_ms: null,
    ...planned,
    time_in_gap: null,
    late_ms: null,
    schedule_id: null,
    batch_id: null,
    external: null,
    seen: false,
    deleted: false,
    created_at: createdAt,
    updated_at: createdAt,
    earlier_jobs: [],
    text_excerpt: excerptOf(request.text, excerptCharsMax),
    answer_excerpt: null,
  }
}

/** Which instant a local time with nothing but a zone means is the server's to say. */
function plannedOf(text = ''): Pick<PromptView, 'scheduled_for' | 'time_zone'> {
  const [, instant = '', zone] = /^([^[]*)(?:\[!?([^\]]+)\])?$/.exec(text) ?? []
  const atMs = /(Z|[+-]\d\d:\d\d)$/i.test(instant) ? Date.parse(instant) : Number.NaN
  return { scheduled_for: Number.isNaN(atMs) ? null : new Date(atMs).toISOString(), time_zone: zone ?? null }
}

/** A new thread is called by the first words of its first prompt. */
export function openingWords(request: Pick<SubmitRequest, 'text'>): string {
  return excerptOf(request.text, titleCharsMax)
}

/** The beginning of a text in one line, cut between characters, not inside one. */
function excerptOf(text: string, charsMax: number): string {
  const line = text
    .slice(0, charsMax * 4)
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= charsMax) return line
  const cut = line.slice(0, charsMax - 1)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}
