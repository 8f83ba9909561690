import { describe, expect, it } from 'vitest'
import { errorKinds, type JobState, jobStates } from '../../shared/job.ts'
import {
  applyEvent,
  fromOf,
  isTerminal,
  type JobEvent,
  type JobFacts,
  type JobHappening,
  jobEvents,
  nextState,
  toOf,
  transitions,
  violations,
} from './job-state.ts'
import { seededRandom } from './testing/seeded-random.ts'

/** What each event makes of each state; `-` is a refusal. The columns are `jobStates`, in their order. */
const table: Record<JobEvent, string> = {
  //                   queued    running   succeeded  failed     cancelled  superseded
  claim: '             running   -         -          -          -          -',
  succeed: '           -         succeeded -          -          -          -',
  'retry-later': '     -         queued    -          -          -          -',
  'wait-for-provider': '-        queued    -          -          -          -',
  'hand-back': '       -         queued    -          -          -          -',
  fail: '              -         failed    -          -          -          -',
  reclaim: '           -         queued    -          -          -          -',
  'give-up': '         -         failed    -          -          -          -',
  cancel: '            cancelled cancelled -          -          -          -',
  supersede: '         -         -         superseded superseded superseded -',
}

const cells = jobEvents.flatMap((event) => {
  const targets = table[event].trim().split(/\s+/)
  return jobStates.map((state, index) => ({ event, state, target: targets[index] ?? 'missing' }))
})

describe('the transition table', () => {
  it.each(cells)('$event of a $state job leads to $target', ({ event, state, target }) => {
    const expected = target === '-' ? null : target
    expect(nextState(state, event)).toBe(expected)
    expect(applyEvent(jobIn(state), happening(event))?.state ?? null).toBe(expected)
    expect(fromOf(event).includes(state)).toBe(expected !== null)
  })

  it('leads each event to one state, from states that are named once', () => {
    for (const event of jobEvents) {
      const targets = transitions.filter((move) => move.event === event).map((move) => move.to)
      expect(new Set(targets)).toEqual(new Set([toOf(event)]))
      expect(new Set(fromOf(event)).size).toBe(fromOf(event).length)
    }
  })

  it('leaves nothing but superseding to a job in a terminal state', () => {
    for (const state of jobStates.filter(isTerminal)) {
      const possible = jobEvents.filter((event) => nextState(state, event) !== null)
      expect(possible).toEqual(state === 'superseded' ? [] : ['supersede'])
    }
  })
})

describe('the fence', () => {
  const fenced = jobEvents.filter((event) => transitions.some((move) => move.event === event && move.fenced))

  it('covers everything that a claim holder writes, and nothing else', () => {
    const byHolder = transitions.filter((move) => move.by === 'claim holder').map((move) => move.event)
    expect(new Set(fenced)).toEqual(new Set(byHolder))
    expect(fenced).toHaveLength(5)
  })

  it.each(fenced)('refuses %s in the name of another claim, and without one', (event) => {
    const running = jobIn('running')
    expect(applyEvent(running, { ...happening(event), token: 'an older claim' })).toBeNull()
    expect(applyEvent(running, { event, at: 9, responseId: 'r' })).toBeNull()
  })

  it('lets cancel, reclaim and giving up through without a token', () => {
    const at = 9
    expect(applyEvent(jobIn('running'), { event: 'cancel', at })?.state).toBe('cancelled')
    expect(applyEvent(jobIn('running'), { event: 'reclaim', at })?.state).toBe('queued')
    expect(applyEvent(jobIn('running'), { event: 'give-up', at, errorKind: 'stuck' })?.state).toBe('failed')
  })

  it('refuses a claim without a token and an answer without its response', () => {
    expect(applyEvent(jobIn('queued'), { event: 'claim', at: 9 })).toBeNull()
    expect(applyEvent(jobIn('running'), { event: 'succeed', at: 9, token: 'claim-1' })).toBeNull()
  })
})

describe('the attempt budget', () => {
  const counted: readonly JobEvent[] = ['retry-later', 'reclaim']

  it('is spent by failures and reclaims that requeue, and by nothing else', () => {
    for (const event of jobEvents) {
      for (const state of fromOf(event)) {
        const before = jobIn(state)
        const after = applyEvent(before, happening(event))
        expect(after?.attempt).toBe(before.attempt + (counted.includes(event) ? 1 : 0))
      }
    }
  })

  it.each(counted)('refuses %s on the last attempt', (event) => {
    expect(applyEvent({ ...jobIn('running'), attempt: 3 }, happening(event))).toBeNull()
  })

  it('does not keep a rate-limited or drained job from waiting on the last attempt', () => {
    const last = { ...jobIn('running'), attempt: 3 }
    expect(applyEvent(last, happening('wait-for-provider'))?.attempt).toBe(3)
    expect(applyEvent(last, happening('hand-back'))?.attempt).toBe(3)
  })
})

describe('what an event leaves behind', () => {
  it('is no error on a job that succeeded after failures', () => {
    const failedBefore = { ...jobIn('running'), errorKind: 'timeout' as const }
    expect(applyEvent(failedBefore, happening('succeed'))?.errorKind).toBeNull()
  })

  it('is outcome, times, error and answer as they were, on a job that is superseded', () => {
    for (const state of ['succeeded', 'failed', 'cancelled'] as const) {
      const before = jobIn(state)
      expect(applyEvent(before, happening('supersede'))).toEqual({ ...before, state: 'superseded' })
    }
  })

  it('is never the job that was given', () => {
    const before = Object.freeze(jobIn('running'))
    expect(applyEvent(before, happening('cancel'))).not.toBe(before)
    expect(before.state).toBe('running')
  })
})

describe('violations', () => {
  const wrong: [string, Partial<JobFacts> & { state: JobState }][] = [
    ['running without a claim', { state: 'running', workerClaim: null }],
    ['running without its times', { state: 'running', heartbeatAt: null }],
    ['running without its times', { state: 'running', startedAt: null }],
    ['claimed but not running', { state: 'queued', workerClaim: 'x' }],
    ['finished_at does not match the state', { state: 'queued', finishedAt: 1 }],
    ['finished_at does not match the state', { state: 'failed', finishedAt: null }],
    ['outcome does not match the state', { state: 'running', outcome: 'failed', errorKind: 'timeout' }],
    ['outcome is not the state', { state: 'cancelled', outcome: 'failed', errorKind: 'timeout' }],
    ['response_id does not match the outcome', { state: 'succeeded', responseId: null }],
    ['response_id does not match the outcome', { state: 'cancelled', responseId: 'r' }],
    ['failed without a kind', { state: 'failed', errorKind: null }],
    ['succeeded with a kind', { state: 'succeeded', errorKind: 'parse' }],
    ['attempt out of range', { state: 'queued', attempt: 0 }],
    ['attempt out of range', { state: 'queued', attempt: 4 }],
    ['run out of range', { state: 'running', run: 0 }],
  ]
  it.each(wrong)('names "%s" of %o', (words, facts) => {
    expect(violations({ ...jobIn(facts.state), ...facts })).toContain(words)
  })

  it('finds nothing wrong with a job that came about by events', () => {
    for (const state of jobStates) expect(violations(jobIn(state))).toEqual([])
  })
})

describe('a random walk', () => {
  it('of 40,000 steps keeps every invariant', () => {
    const seed = Number(process.env.WALK_SEED ?? Date.now() % 1_000_000)
    const random = seededRandom(seed)
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] ?? fail('empty')
    let job = fresh()
    let claims = 0
    const seen = new Map<string, number>()
    for (let step = 0; step < 40_000; step++) {
      const event = pick(jobEvents)
      const token = random() < 0.8 ? `claim-${claims}` : `claim-${claims - 1}`
      const next: JobHappening = {
        event,
        at: step,
        token: event === 'claim' ? `claim-${claims + 1}` : token,
        errorKind: pick(errorKinds),
        responseId: `response-${step}`,
      }
      const after = applyEvent(job, next)
      if (after === null) continue
      const where = `seed ${seed}, step ${step}: ${event} of ${JSON.stringify(job)}`
      if (event === 'claim') claims += 1
      seen.set(event, (seen.get(event) ?? 0) + 1)
      expect(violations(after), where).toEqual([])
      expect(after.run, where).toBe(job.run + (event === 'claim' ? 1 : 0))
      const spent = event === 'retry-later' || event === 'reclaim' ? 1 : 0
      expect(after.attempt, where).toBe(job.attempt + spent)
      if (isTerminal(job.state)) {
        expect(event, where).toBe('supersede')
        expect(after.outcome, where).toBe(job.outcome)
      }
      job = after.state === 'superseded' ? fresh() : after
    }
    for (const event of jobEvents) expect(seen.get(event) ?? 0, `seed ${seed}: ${event}`).toBeGreaterThan(50)
  })
})

function fresh(): JobFacts {
  return {
    state: 'queued',
    outcome: null,
    attempt: 1,
    maxAttempts: 3,
    run: 0,
    workerClaim: null,
    startedAt: null,
    heartbeatAt: null,
    finishedAt: null,
    errorKind: null,
    responseId: null,
  }
}

/** A job that came into `state` by events. */
function jobIn(state: JobState): JobFacts {
  const running: JobFacts = {
    ...fresh(),
    state: 'running',
    run: 1,
    workerClaim: 'claim-1',
    startedAt: 1,
    heartbeatAt: 2,
  }
  switch (state) {
    case 'queued':
      return fresh()
    case 'running':
      return running
    case 'succeeded':
      return applyEvent(running, happening('succeed')) ?? fail(state)
    case 'failed':
      return applyEvent(running, happening('fail')) ?? fail(state)
    case 'cancelled':
      return applyEvent(running, happening('cancel')) ?? fail(state)
    case 'superseded':
      return { ...jobIn('succeeded'), state }
  }
}

function happening(event: JobEvent): JobHappening {
  return { event, at: 3, token: 'claim-1', errorKind: 'timeout', responseId: 'response-1' }
}

function fail(what: string): never {
  throw new Error(`no such job: ${what}`)
}
