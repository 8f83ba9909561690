import type { Log } from '../../domain/ports.ts'
import type { JobMove } from '../../domain/watched-facts.ts'

/**
 * One line of the log for one move of a job, in one shape whoever made it: who did what to which job, in which run.
 * Followers that are held or released stay `queued`; their lines say so in their own words.
 */
export function tellTransition(log: Log, move: JobMove): void {
  const { from, to, kind } = move
  const fields = {
    job_id: move.jobId,
    prompt_id: move.promptId,
    org_id: move.orgId,
    run: move.run,
    kind,
    from,
    to,
    by: move.by,
    ...known({
      attempt: move.attempt,
      error_kind: move.errorKind,
      retry_at: move.retryAt,
      provider: move.provider,
      queued_ms: move.queuedMs,
      run_ms: move.runMs,
      first_token_ms: move.firstTokenMs,
    }),
  }
  const word = from === to ? kind.replace(/^job-/, '') : to
  if (to === 'failed' || kind === 'job-reclaimed') log.warn(fields, `job ${word}`)
  else log.info(fields, `job ${word}`)
}

/** What is not known takes no room in the line. */
function known(fields: Record<string, string | number | null>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  )
}
