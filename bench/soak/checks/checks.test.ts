import { describe, expect, it } from 'vitest'
import type { PlayedPrompt } from '../play-prompt.ts'
import type { KindName } from '../prompt-kinds.ts'
import type { JobRow, SoakFacts } from '../read-facts.ts'
import type { AuditedMove } from '../run-audit.ts'
import { soakDefaults } from '../soak-options.ts'
import { planSoak } from '../soak-plan.ts'
import { checkPromises, finalStates } from './check-promises.ts'
import { checkOrgLimit, checkReclaims } from './check-reclaims.ts'
import { checkRecords } from './check-records.ts'

const [prompt, other] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']

function move(was: string, state: string, more: Partial<AuditedMove> = {}): AuditedMove {
  const facts = { error_kind: null, worker_id: 'host:7', heartbeat_ms: null, at_ms: 0 }
  return { seq: 1, job_id: 'job', prompt_id: prompt, run: 1, was, state, ...facts, ...more }
}

/** One prompt that was answered in one run, with all that belongs to it. */
function answered(): { facts: SoakFacts; played: PlayedPrompt } {
  const job: JobRow = {
    id: 'job',
    promptId: prompt,
    state: 'succeeded',
    outcome: 'succeeded',
    attempt: 1,
    maxAttempts: 3,
    run: 1,
    crashes: 0,
    workerClaim: null,
    startedAt: 1,
    heartbeatAt: 1,
    finishedAt: 2,
    errorKind: null,
    responseId: 'answer',
    held: null,
  }
  const event = (kind: string, was: string | null, state: string) => ({
    seq: 1,
    job_id: 'job',
    run: 1,
    kind,
    was,
    state,
  })
  const facts: SoakFacts = {
    prompts: [{ id: prompt, revision: 3 }],
    jobs: [job],
    ledger: [{ job_id: 'job', run: 1 }],
    responses: [{ id: 'answer', prompt_id: prompt, body: 'Your prompt began with “Ask”.' }],
    flows: [{ from_id: prompt, to_id: 'answer' }],
    events: [
      event('job-queued', null, 'queued'),
      event('job-claimed', 'queued', 'running'),
      event('job-succeeded', 'running', 'succeeded'),
    ],
    audit: [move('queued', 'running'), move('running', 'succeeded')],
    drafts: 0,
  }
  return { facts, played: playedAs('fast') }
}

function playedAs(kind: KindName, more: Partial<PlayedPrompt> = {}): PlayedPrompt {
  const [planned] = planSoak({ ...soakDefaults, prompts: 60 }).threads.flat()
  if (!planned) throw new Error('the plan is empty')
  return {
    plan: { ...planned, id: prompt, kind, text: 'Ask', parentId: null },
    jobId: 'job',
    cancelledJobId: null,
    cancelRefused: false,
    retriedAfterCrash: 0,
    settled: true,
    ...more,
  }
}

describe('the checks of a soak', () => {
  it('find nothing where everything is as it should be', () => {
    const { facts, played } = answered()
    expect([...checkRecords(facts), ...checkPromises(facts, [played])]).toEqual([])
    expect(finalStates(facts, [played])).toEqual([`${prompt} succeeded - -`])
  })

  const breaches: [what: string, breach: (facts: SoakFacts) => unknown, says: RegExp][] = [
    ['a lost prompt', (facts) => void facts.prompts.pop(), /accepted and is lost/],
    [
      'a prompt nobody sent',
      (facts) => void facts.prompts.push({ id: other, revision: 1 }),
      /nobody sent it/,
    ],
    ['a lost job', (facts) => void facts.jobs.pop(), /job job was acknowledged and is lost/],
    ['a lost answer', (facts) => void facts.responses.pop(), /without an answer/],
    ['a second edge', (facts) => facts.flows.push(...facts.flows), /2 edges/],
    ['a second success', (facts) => facts.events.push(...facts.events.slice(2)), /2 events of its success/],
    ['a lost ledger row', (facts) => void facts.ledger.pop(), /its ledger has the runs none/],
    ['a lost event', (facts) => void facts.events.splice(1, 1), /its events tell of/],
    ['a draft', (facts) => Object.assign(facts, { drafts: 1 }), /1 drafts/],
    [
      'a foreign answer',
      ({ responses: [one] }) => Object.assign(one ?? {}, { body: '“Else”' }),
      /is to something else/,
    ],
    [
      'a claim that is left',
      ({ jobs: [job] }) => Object.assign(job ?? {}, { workerClaim: 'token' }),
      /claimed but not running/,
    ],
    [
      'another end',
      ({ jobs: [job] }) =>
        Object.assign(job ?? {}, { state: 'failed', outcome: 'failed', errorKind: 'stuck' }),
      /\(fast\) ended failed stuck/,
    ],
  ]
  it.each(breaches)('name %s', (_, breach, says) => {
    const { facts, played } = answered()
    breach(facts)
    expect([...checkRecords(facts), ...checkPromises(facts, [played])].join('\n')).toMatch(says)
  })

  it('name a run after an acknowledged cancel, and a cancel that is lost', () => {
    const { facts } = answered()
    const cancelled = playedAs('cancelled-racing', { cancelledJobId: 'job' })
    expect(checkPromises(facts, [cancelled]).join('\n')).toMatch(/acknowledged cancel of job job is lost/)
    facts.audit = [move('queued', 'cancelled'), move('queued', 'running')]
    expect(checkPromises(facts, [cancelled]).join('\n')).toMatch(/went running after its acknowledged cancel/)
  })
})

describe('the check of reclaims', () => {
  const crash = (atMs: number, heartbeatMs: number) =>
    move('running', 'queued', { error_kind: 'worker_crash', at_ms: atMs, heartbeat_ms: heartbeatMs })

  it('allows the lease and a second after the last heartbeat', () => {
    const kills = [{ pid: 7, atMs: 10_100 }]
    const inTime = checkReclaims([crash(12_900, 10_000)], kills, [], 2_000)
    expect(inTime).toMatchObject({
      broken: [],
      figures: {
        reclaims: 1,
        longestFromHeartbeatMs: 2_900,
        longestKillToReclaimMs: 2_800,
        fromTheLiving: 0,
      },
    })
    expect(checkReclaims([crash(13_100, 10_000)], kills, [], 2_000).broken).toEqual([
      'job job was taken back 3.10 s after its last heartbeat',
    ])
  })

  it('allows a holder that lives, whose own transaction may be in the way, two seconds more', () => {
    expect(checkReclaims([crash(14_900, 10_000)], [], [], 2_000)).toMatchObject({
      broken: [],
      figures: { fromTheLiving: 1, longestFromTheLivingMs: 4_900, longestFromHeartbeatMs: 0 },
    })
    expect(checkReclaims([crash(15_100, 10_000)], [], [], 2_000).broken).toHaveLength(1)
  })

  it('counts from the end of an outage in which the lease ended', () => {
    const outages = [{ fromMs: 11_000, untilMs: 15_000 }]
    const after = checkReclaims([crash(16_000, 10_000)], [], outages, 2_000)
    expect(after).toMatchObject({ broken: [], figures: { aroundOutages: 1, longestFromOutageMs: 1_000 } })
    expect(checkReclaims([crash(17_100, 10_000)], [], outages, 2_000).broken).toHaveLength(1)
    expect(checkReclaims([crash(16_900, 14_900)], [], outages, 2_000).figures.aroundOutages).toBe(1)
    // One whose lease ended well before the outage has no such excuse.
    expect(checkReclaims([crash(10_900, 5_000)], [], outages, 2_000).broken).toHaveLength(1)
  })

  it('counts runs at once', () => {
    const at = (atMs: number, was: string, state: string) => move(was, state, { at_ms: atMs })
    const audit = [at(1, 'queued', 'running'), at(3, 'queued', 'running'), at(2, 'running', 'succeeded')]
    expect(checkOrgLimit(audit, 1)).toEqual({ broken: [], most: 1 })
    expect(checkOrgLimit([...audit, at(2.5, 'queued', 'running')], 1).broken).toHaveLength(1)
  })
})
