import type { PromptView } from '../../../shared/prompt-view.ts'

/**
 * A single prompt is read with the reason that gates and limits gave at that moment. Those travel by themselves and are
 * joined here when they are shown, so that a row must not keep them: they may be gone before it changes again.
 */
export function rowView(view: PromptView): PromptView {
  const { wait_reason: reason } = view
  const isJoined =
    reason?.code === 'org_limit' || (reason?.code === 'rate_limit' && view.error_kind !== 'rate_limit')
  return isJoined ? { ...view, wait_reason: { code: 'in_line' } } : view
}
