import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { agingMsDefault, claimRank } from '../../domain/claim-order.ts'
import { defaultDeadlines } from '../../domain/deadlines.ts'
import { type Failure, failure } from '../../domain/failure.ts'
import type { JobFacts } from '../../domain/job-state.ts'
import type { RetryDecision } from '../../domain/retry-policy.ts'
import type { Database } from '../database/database.ts'
import { cancelJobRow } from '../jobs/cancel-job.ts'
import { type ClaimedJob, type ClaimRequest, claimJobs } from '../jobs/claim-jobs.ts'
import { handBack } from '../jobs/hand-back.ts'
import { insertPrompts, type NewPrompt } from '../jobs/insert-prompts.ts'
import type { LedgerEntry } from '../jobs/ledger-row.ts'
import { type Reclaimed, type ReclaimRequest, reclaim } from '../jobs/reclaim.ts'
import { requeueFailed } from '../jobs/requeue.ts'
import { settleFailure } from '../jobs/settle-failure.ts'
import { settleSuccess } from '../jobs/settle-success.ts'
import { supersedeWithNew } from '../jobs/supersede.ts'
import { grantReady, type Rest } from '../permits/grant-ready.ts'
import { responseId } from '../response-id.ts'

export interface MadePrompt {
  promptId: string
  jobId: string
}

/** The parts of an answer that a test may care for. */
export interface Answer {
  text?: string
  requestId?: string | null
  finishReason?: 'stop' | 'length'
}

const emptyLedger: LedgerEntry = {
  counted: true,
  provider: 'scripted',
  model: 'script-1',
  adapterRequestId: null,
  inputTokens: null,
  outputTokens: null,
  finishReason: null,
  queuedMs: 0,
  firstTokenMs: null,
  errorKind: null,
  errorMessage: null,
}

/** So many that permits are in nobody's way, unless a test asks for fewer. */
const orgConcurrencyDefault = 200

const ms = (date: Date | null): number | null => date?.getTime() ?? null

/**
 * Brings jobs into any state by the statements that the product uses, each in a transaction of its own, at a time that
 * the test moves. One person in one org owns what it makes, unless a test says otherwise.
 */
export function jobFactory(database: Database, orgConcurrency = orgConcurrencyDefault) {
  const owner = { orgId: uuidV7(), personId: uuidV7() }
  let nowMs = Date.parse('2026-03-12T12:00:00.000Z')
  const now = (): Date => new Date(nowMs)
  const { transaction } = database

  const prompt = (more: Partial<NewPrompt> = {}): NewPrompt => {
    const id = more.prompt_id ?? uuidV7()
    const priority = more.priority ?? 50
    return {
      prompt_id: id,
      job_id: uuidV7(),
      org_id: owner.orgId,
      created_by: owner.personId,
      parent_id: null,
      after_id: null,
      correlation_id: id,
      body: 'What is it?',
      meta: { request_digest: 'digest' },
      title: 'What is it?',
      priority,
      max_attempts: 3,
      budget: 'unknown',
      provider: 'scripted',
      model: 'script-1',
      execution_options: {},
      scheduled_for: null,
      available_at: now().toISOString(),
      claim_rank: claimRank({ createdAt: now(), scheduledFor: null, priority }, agingMsDefault),
      batch_id: null,
      created_at: now().toISOString(),
      ...more,
    }
  }

  return {
    database,
    owner,
    now,
    advance(byMs: number): void {
      nowMs += byMs
    },
    prompt,

    async submit(more: Partial<NewPrompt> = {}): Promise<MadePrompt> {
      const made = prompt(more)
      await transaction((tx) => insertPrompts(tx, [made], { orgConcurrency, now: now() }))
      return { promptId: made.prompt_id, jobId: made.job_id }
    },

    /** A prompt that continues `parent`, of a thread that `parent` began. */
    follow(parent: MadePrompt, more: Partial<NewPrompt> = {}): Promise<MadePrompt> {
      return this.submit({ parent_id: parent.promptId, correlation_id: parent.promptId, ...more })
    },

    /** As a worker does it: where too little can be claimed, permits are granted, and it claims again. */
    async claimSome(more: Partial<ClaimRequest> = {}): Promise<ClaimedJob[]> {
      const limit = more.limit ?? 10
      const claims = await this.claimHolders({ ...more, limit })
      if (claims.length === limit || (await this.grantReady()).granted === 0) return claims
      return [...claims, ...(await this.claimHolders({ ...more, limit: limit - claims.length }))]
    },

    /** Only what holds a permit already. */
    claimHolders(more: Partial<ClaimRequest> = {}): Promise<ClaimedJob[]> {
      return transaction((tx) => claimJobs(tx, { workerId: 'worker', limit: 10, now: now(), ...more }))
    },

    grantReady(): Promise<Rest> {
      return grantReady(database, { orgConcurrency, now: now() })
    },

    /** The claim of the one job that can be claimed. */
    async claim(): Promise<ClaimedJob> {
      const [claim, ...others] = await this.claimSome()
      if (!claim || others.length > 0) throw new Error(`claimed ${others.length + (claim ? 1 : 0)}, not 1`)
      return claim
    },

    succeed(claim: ClaimedJob, answer: Answer = {}): Promise<boolean> {
      const { promptId, jobId, run, attempt, startedAt } = claim
      const { text = 'An answer.', requestId = null, finishReason = 'stop' } = answer
      return transaction((tx) =>
        settleSuccess(tx, {
          claim,
          promptId,
          attempt,
          startedAt,
          responseId: responseId({ promptId, jobId, run, requestId }),
          fallbackResponseId: responseId({ promptId, jobId, run, requestId: null }),
          text,
          meta: { finish_reason: finishReason, model: 'script-1', practice: false, output_tokens: 3 },
          sourceRefs: [{ provider: 'scripted' }],
          ledger: { ...emptyLedger, finishReason, adapterRequestId: requestId },
          orgConcurrency,
          now: now(),
        }),
      )
    },

    fail(claim: ClaimedJob, why: Failure = failure('auth', 'No key.')): Promise<boolean> {
      return transaction((tx) => settleFailure(tx, failedRun(claim, why, orgConcurrency, now())))
    },

    requeue(
      claim: ClaimedJob,
      event: 'retry-later' | 'wait-for-provider' = 'retry-later',
      afterMs = 5_000,
    ): Promise<boolean> {
      const availableAt = new Date(nowMs + afterMs)
      const why = failure(event === 'retry-later' ? 'timeout' : 'rate_limit', 'Later.')
      const decision: Exclude<RetryDecision, { event: 'fail' }> =
        event === 'retry-later' ? { event, availableAt } : { event, availableAt, rateLimitedSince: now() }
      return transaction((tx) => requeueFailed(tx, failedRun(claim, why, orgConcurrency, now()), decision))
    },

    handBack(...claims: ClaimedJob[]): Promise<string[]> {
      const tokens = claims.map((claim) => claim.token)
      return transaction((tx) => handBack(tx, tokens, now()))
    },

    cancel(jobId: string): Promise<{ jobId: string; promptId: string } | null> {
      return transaction((tx) =>
        cancelJobRow(tx, { jobId }, { actor: 'a person', orgConcurrency, now: now() }),
      )
    },

    /** @returns the new job's id, or null where there was nothing to supersede. */
    async retry(promptId: string): Promise<string | null> {
      const jobId = uuidV7()
      const more = {
        actor: 'a person',
        provider: 'scripted',
        model: 'script-1',
        agingMs: agingMsDefault,
        orgConcurrency,
      }
      const which = { promptId, ...owner }
      const won = await transaction((tx) => supersedeWithNew(tx, which, { jobId, ...more, now: now() }))
      return won ? jobId : null
    },

    reclaim(more: Partial<ReclaimRequest> = {}): Promise<Reclaimed> {
      return transaction((tx) =>
        reclaim(tx, { now: now(), deadlines: defaultDeadlines, orgConcurrency, ...more }),
      )
    },

    /** The job as the model in `bff/domain/job-state.ts` sees it. */
    async facts(jobId: string): Promise<JobFacts> {
      const [row] = await database.rows<FactsRow>(sql`select * from job where id = ${jobId}::uuid`)
      if (!row) throw new Error(`no job ${jobId}`)
      return factsOfRow(row)
    },

    async revision(promptId: string): Promise<number> {
      const [row] = await database.rows<{ revision: number }>(
        sql`select revision from entity where id = ${promptId}::uuid`,
      )
      return row?.revision ?? 0
    },

    async eventKinds(promptId: string): Promise<string[]> {
      const rows = await database.rows<{ kind: string }>(
        sql`select kind from event where prompt_id = ${promptId}::uuid order by seq`,
      )
      return rows.map((row) => row.kind)
    },

    /** One column of one job. */
    async column(jobId: string, name: string): Promise<unknown> {
      const [row] = await database.rows<{ value: unknown }>(
        sql`select ${sql.identifier(name)} as value from job where id = ${jobId}::uuid`,
      )
      return row?.value ?? null
    },

    /** Every row that a statement could change, to show that it changed none. */
    async everything(): Promise<object[]> {
      return database.rows(sql`
        select (select jsonb_agg(j order by j.id) from job j) as jobs,
          (select jsonb_agg(e order by e.id) from entity e) as entities,
          (select jsonb_agg(l order by l.job_id, l.run) from ledger l) as ledger,
          (select jsonb_agg(d order by d.job_id, d.run, d.seq) from draft d) as drafts,
          (select count(*) from event) as events, (select count(*) from edge) as edges`)
    },
  }
}

export type JobFactory = ReturnType<typeof jobFactory>

/** The columns of `job` that the model governs. */
export interface FactsRow {
  state: JobFacts['state']
  outcome: JobFacts['outcome']
  attempt: number
  max_attempts: number
  run: number
  worker_claim: string | null
  started_at: Date | null
  running_heartbeat_at: Date | null
  finished_at: Date | null
  error_kind: JobFacts['errorKind']
  response_id: string | null
}

export function factsOfRow(row: FactsRow): JobFacts {
  return {
    state: row.state,
    outcome: row.outcome,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    run: row.run,
    workerClaim: row.worker_claim,
    startedAt: ms(row.started_at),
    heartbeatAt: ms(row.running_heartbeat_at),
    finishedAt: ms(row.finished_at),
    errorKind: row.error_kind,
    responseId: row.response_id,
  }
}

function failedRun(claim: ClaimedJob, why: Failure, orgConcurrency: number, now: Date) {
  const { promptId, attempt, startedAt } = claim
  const ledger = { ...emptyLedger, errorKind: why.kind, errorMessage: why.message }
  return {
    claim,
    promptId,
    attempt,
    startedAt,
    failure: why,
    provider: claim.provider ?? 'scripted',
    orgConcurrency,
    ledger,
    now,
  }
}
