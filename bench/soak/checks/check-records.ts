import { violations } from '../../../bff/domain/job-state.ts'
import { groupBy } from '../group-by.ts'
import type { SoakFacts } from '../read-facts.ts'

/** What must hold for every job by itself, whatever happened to it. @returns what does not, in words. */
export function checkRecords(facts: SoakFacts): string[] {
  return [
    ...facts.jobs.flatMap((job) => violations(job).map((what) => `job ${job.id}: ${what}`)),
    ...facts.jobs.flatMap(({ id, state }) => (state === 'running' ? [`job ${id} still runs`] : [])),
    ...(facts.drafts > 0 ? [`${facts.drafts} drafts of ended runs are left`] : []),
    ...checkAnswers(facts),
    ...checkLedger(facts),
    ...checkEvents(facts),
  ]
}

/** One answer of its own for each job that succeeded, one edge to it, and none besides. */
function checkAnswers({ jobs, responses, flows, events }: SoakFacts): string[] {
  const answers = new Map(responses.map((response) => [response.id, response]))
  const owners = new Map<string, string>()
  const told = countBy(
    events.filter(({ kind }) => kind === 'job-succeeded'),
    ({ job_id }) => job_id ?? '',
  )
  const linked = countBy(flows, ({ from_id, to_id }) => `${from_id} ${to_id}`)
  const succeeded = jobs.filter(({ outcome }) => outcome === 'succeeded')
  const broken = succeeded.flatMap(({ id, promptId, responseId }) => {
    const answer = answers.get(responseId ?? '')
    const other = owners.get(responseId ?? '')
    owners.set(responseId ?? '', id)
    const links = linked.get(`${promptId} ${responseId}`) ?? 0
    const events = told.get(id) ?? 0
    return [
      ...(answer?.prompt_id === promptId ? [] : [`job ${id} succeeded without an answer of its prompt`]),
      ...(other === undefined ? [] : [`jobs ${other} and ${id} share an answer`]),
      ...(links === 1 ? [] : [`job ${id}: ${links} edges to its answer`]),
      ...(events === 1 ? [] : [`job ${id}: ${events} events of its success`]),
    ]
  })
  const spare = (count: number, what: string): string[] =>
    count === succeeded.length ? [] : [`${count} ${what} for ${succeeded.length} jobs that succeeded`]
  return [
    ...broken,
    ...spare(responses.length, 'answers'),
    ...spare(flows.length, 'flows-to edges'),
    ...spare(
      [...told.values()].reduce((sum, count) => sum + count, 0),
      'events of success',
    ),
  ]
}

/** One row for every run that has ended, numbered without a gap. */
function checkLedger({ jobs, ledger }: SoakFacts): string[] {
  const runs = groupBy(ledger, ({ job_id }) => job_id)
  return jobs.flatMap(({ id, run, state }) => {
    const kept = (runs.get(id) ?? []).map((row) => row.run)
    const ended = state === 'running' ? run - 1 : run
    const whole = kept.length === ended && kept.every((number, index) => number === index + 1)
    return whole
      ? []
      : [`job ${id} ran ${ended} times and its ledger has the runs ${kept.join(', ') || 'none'}`]
  })
}

/** One event for each move that the database saw, and each job's events a chain without a break. */
function checkEvents({ jobs, events, audit }: SoakFacts): string[] {
  const moves = ({ was, state }: { was: string | null; state: string | null }): boolean =>
    was !== null && state !== null && was !== state
  const told = groupBy(events.filter(moves), ({ job_id }) => job_id ?? '')
  const seen = groupBy(
    audit.filter(({ state }) => state !== 'superseded'),
    ({ job_id }) => job_id,
  )
  return jobs.flatMap(({ id }) => {
    const said = (told.get(id) ?? []).map(({ was, state }) => `${was} → ${state}`)
    const done = (seen.get(id) ?? []).map(({ was, state }) => `${was} → ${state}`)
    return said.join() === done.join()
      ? []
      : [`job ${id}: its events tell of ${said.join(', ')}; it went ${done.join(', ')}`]
  })
}

function countBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return counts
}
