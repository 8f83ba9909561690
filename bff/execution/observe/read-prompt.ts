import type { PromptDetail, ThreadResponse } from '../../../shared/observe.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import { notFound } from '../../domain/errors.ts'
import { type PromptTexts, readPromptTexts } from '../../store/entities/read-prompts.ts'
import { encodeCursor } from '../../store/events/cursor.ts'
import { readOwnViews, readThreadViews } from '../../store/views/read-views.ts'
import type { Execution, Scope } from '../context.ts'
import { withJoinedReason } from '../queue/join-reasons.ts'
import { decodePageKey, encodePageKey } from './page-key.ts'
import { presentCursor } from './position.ts'

const turnsMax = 500
const turnsDefault = 100

/**
 * One prompt whole, with the reason of its wait joined from gates and limits: who reads one prompt follows no feed.
 *
 * @throws DomainError `not_found` for one that is not there or not one's own.
 */
export async function readPrompt(
  execution: Execution,
  scope: Scope,
  promptId: string,
): Promise<PromptDetail> {
  const [view] = await readOwnViews(execution.database, scope, [promptId])
  const [texts] = await readPromptTexts(execution.database, view ? [promptId] : [])
  if (!view || !texts) throw notFound('prompt')
  return detailOf(execution, await withJoinedReason(execution, scope.orgId, view), texts)
}

/**
 * The thread that a prompt belongs to, oldest first, in pages; the tree is in each view's `parent_id`.
 * @throws DomainError `not_found`, `malformed_cursor` for a wrong `after`.
 */
export async function readThread(
  execution: Execution,
  scope: Scope,
  promptId: string,
  page: { after?: string; limit?: number } = {},
): Promise<ThreadResponse> {
  const { database } = execution
  const cursor = encodeCursor(await presentCursor(execution))
  const [own] = await readOwnViews(database, scope, [promptId])
  if (!own) throw notFound('prompt')
  const limit = Math.min(page.limit ?? turnsDefault, turnsMax)
  const after = page.after === undefined ? null : decodePageKey('after', page.after)
  const views = await readThreadViews(database, scope, own.correlation_id, { after, limit: limit + 1 })
  const shown = views.slice(0, limit)
  const texts = await readPromptTexts(
    database,
    shown.map((view) => view.prompt_id),
  )
  const textsById = new Map(texts.map((row) => [row.id, row]))
  const last = shown.at(-1)
  return {
    id: own.correlation_id,
    title: own.thread_title,
    prompts: shown.flatMap((view) => {
      const found = textsById.get(view.prompt_id)
      return found ? [detailOf(execution, view, found)] : []
    }),
    next: views.length > limit && last ? encodePageKey(last) : null,
    cursor,
  }
}

function detailOf(execution: Execution, view: PromptView, texts: PromptTexts): PromptDetail {
  const { answer, answer_meta: meta } = texts
  return {
    view,
    text: texts.body,
    answer:
      answer === null || texts.response_id === null
        ? null
        : {
            response_id: texts.response_id,
            job_id: texts.claimed_job_id ?? view.job_id,
            text: answer,
            model: meta?.model ?? null,
            practice: meta?.practice ?? false,
            created_at: (texts.answered_at ?? new Date(view.updated_at)).toISOString(),
          },
    draft: view.state === 'running' ? draftOf(execution, view, texts) : null,
    partial:
      texts.partial_text === null || texts.partial_job_id === null || texts.partial_run === null
        ? null
        : { job_id: texts.partial_job_id, run: texts.partial_run, text: texts.partial_text },
  }
}

/** The text so far: as it arrives, here or from another process, unless what is stored is newer. */
function draftOf(execution: Execution, view: PromptView, texts: PromptTexts): PromptDetail['draft'] {
  const live = execution.liveDrafts.get(view.job_id)
  const isBehind = live?.remote && live.text.length < (texts.draft_text ?? '').length
  if (live && !isBehind)
    return { job_id: live.jobId, run: live.run, seq: texts.draft_chunks, text: live.text.toWellFormed() }
  return texts.draft_run === null
    ? null
    : { job_id: view.job_id, run: texts.draft_run, seq: texts.draft_chunks, text: texts.draft_text ?? '' }
}
