import { excerpt } from '../../../bff/domain/prompt-text.ts'
import type { JobState } from '../../../shared/job.ts'
import { groupBy } from '../group-by.ts'
import type { PlayedPrompt } from '../play-prompt.ts'
import { endOf, sameEnd } from '../prompt-kinds.ts'
import type { JobRow, SoakFacts } from '../read-facts.ts'

/** What the servers acknowledged, and how each prompt has to end. @returns what does not hold, in words. */
export function checkPromises(facts: SoakFacts, played: readonly PlayedPrompt[]): string[] {
  const known = new Set(facts.prompts.map(({ id }) => id))
  const jobs = groupBy(facts.jobs, ({ promptId }) => promptId)
  const planned = new Set(played.map(({ plan }) => plan.id))
  return [
    ...[...known].flatMap((id) => (planned.has(id) ? [] : [`prompt ${id} is there and nobody sent it`])),
    ...played.flatMap((prompt) => {
      const own = jobs.get(prompt.plan.id) ?? []
      return [
        ...checkAccepted(prompt, known, own),
        ...checkEnd(prompt, own),
        ...checkOwnAnswer(prompt, facts, own),
      ]
    }),
    ...checkCancels(facts, played),
  ]
}

/** Each prompt's final state by its id: the same for the same plan. A race may go either way, and says only that. */
export function finalStates(facts: SoakFacts, played: readonly PlayedPrompt[]): string[] {
  const current = new Map(
    facts.jobs.flatMap((job) => (job.state === 'superseded' ? [] : [[job.promptId, job] as const])),
  )
  return played
    .map(({ plan: { id, kind } }) => {
      const job = current.get(id)
      const end = `${job?.state} ${job?.errorKind ?? '-'} ${job?.held ?? '-'}`
      const either = job?.state === 'cancelled' || job?.state === 'succeeded'
      return `${id} ${endOf(kind) === 'either' && either ? 'either' : end}`
    })
    .sort()
}

function checkAccepted({ plan, jobId }: PlayedPrompt, known: ReadonlySet<string>, own: JobRow[]): string[] {
  if (jobId === null) return [`prompt ${plan.id} was never accepted`]
  if (!known.has(plan.id)) return [`prompt ${plan.id} was accepted and is lost`]
  if (!own.some(({ id }) => id === jobId)) return [`job ${jobId} was acknowledged and is lost`]
  const current = own.filter(({ state }) => state !== 'superseded')
  return current.length === 1 ? [] : [`prompt ${plan.id} has ${current.length} current jobs`]
}

function checkEnd({ plan, cancelRefused, cancelledJobId }: PlayedPrompt, own: JobRow[]): string[] {
  const job = own.find(({ state }) => state !== 'superseded')
  if (!job) return []
  const now = { state: job.state, errorKind: job.errorKind, held: heldBy(job) }
  const wanted = cancelRefused ? endOf('fast') : endOf(plan.kind)
  const said = `prompt ${plan.id} (${plan.kind}) ended ${now.state} ${now.errorKind ?? ''} ${now.held ?? ''}`
  if (wanted !== 'either') return sameEnd(now, wanted) ? [] : [said]
  const raced: JobState = cancelledJobId === null ? 'succeeded' : 'cancelled'
  return now.state === raced ? [] : [`${said}, against what its cancel was answered`]
}

function heldBy({ held }: JobRow): 'failed' | 'cancelled' | null {
  return held === 'failed' || held === 'cancelled' ? held : null
}

/** Practice answers quote their prompt: an answer that went to another prompt would show. */
function checkOwnAnswer({ plan }: PlayedPrompt, { responses }: SoakFacts, own: JobRow[]): string[] {
  const ids = new Set(own.map(({ responseId }) => responseId))
  const quoted = `“${excerpt(plan.text, 60)}”`
  return responses
    .filter(({ id, body }) => ids.has(id) && !body.includes(quoted))
    .map(({ id }) => `answer ${id} of prompt ${plan.id} is to something else`)
}

/** After an acknowledged cancel its job is never claimed, and never anything but cancelled. */
function checkCancels({ audit }: SoakFacts, played: readonly PlayedPrompt[]): string[] {
  const moves = groupBy(audit, ({ job_id }) => job_id)
  return played.flatMap(({ plan, cancelledJobId }) => {
    if (cancelledJobId === null) return []
    const all = moves.get(cancelledJobId) ?? []
    const at = all.findIndex(({ state }) => state === 'cancelled')
    const later = all.slice(at + 1).filter(({ state }) => state !== 'superseded')
    if (at < 0) return [`prompt ${plan.id}: the acknowledged cancel of job ${cancelledJobId} is lost`]
    return later.map(({ state }) => `job ${cancelledJobId} went ${state} after its acknowledged cancel`)
  })
}
