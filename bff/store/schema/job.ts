import { sql } from 'drizzle-orm'
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { budgets, errorKinds, jobOutcomes, jobStates } from '../../../shared/job.ts'
import { instant, integer53, scope } from './columns.ts'
import { entity } from './entity.ts'
import { oneOf } from './one-of.ts'

/**
 * One execution order for a prompt. The CHECKs are the invariants of `violations` in `bff/domain/job-state.ts`.
 * A retry makes a new row and supersedes the old one, so a prompt's current job is its only one that is not superseded.
 */
export const job = pgTable(
  'job',
  {
    id: uuid('id').primaryKey(),
    promptId: uuid('prompt_id')
      .notNull()
      .references(() => entity.id),
    ...scope(),
    state: text('state').notNull().default('queued'),
    outcome: text('outcome'),
    priority: smallint('priority').notNull().default(50),
    attempt: smallint('attempt').notNull().default(1),
    maxAttempts: smallint('max_attempts').notNull().default(3),
    run: integer('run').notNull().default(0),
    crashes: smallint('crashes').notNull().default(0),
    executionOptions: jsonb('execution_options').notNull().default({}),
    budget: text('budget').notNull().default('unknown'),
    provider: text('provider'),
    model: text('model'),
    workerClaim: text('worker_claim'),
    workerId: text('worker_id'),
    claimedAt: instant('claimed_at'),
    startedAt: instant('started_at'),
    runningHeartbeatAt: instant('running_heartbeat_at'),
    finishedAt: instant('finished_at'),
    availableAt: instant('available_at').notNull(),
    scheduledFor: instant('scheduled_for'),
    softReviewAt: instant('soft_review_at'),
    rateLimitedSince: instant('rate_limited_since'),
    blockedBy: uuid('blocked_by').references(() => entity.id),
    holdReason: text('hold_reason'),
    claimRank: integer53('claim_rank').notNull(),
    permit: integer('permit'),
    permitAt: instant('permit_at'),
    external: boolean('external').notNull().default(false),
    responseId: uuid('response_id').references(() => entity.id),
    errorKind: text('error_kind'),
    errorMessage: text('error_message'),
    supersedes: uuid('supersedes'),
    batchId: uuid('batch_id'),
    scheduleId: uuid('schedule_id'),
    timeZone: text('time_zone'),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    check('job_state', oneOf(t.state, jobStates)),
    check('job_outcome', oneOf(t.outcome, jobOutcomes)),
    check('job_error_kind', oneOf(t.errorKind, errorKinds)),
    check('job_budget', oneOf(t.budget, budgets)),
    check('job_priority', sql`${t.priority} between 0 and 100`),
    check('job_attempt', sql`${t.attempt} between 1 and ${t.maxAttempts}`),
    check('job_run', sql`${t.run} >= 0 and ${t.crashes} >= 0`),
    check('job_finished', sql`(${t.state} in ('queued', 'running')) = (${t.finishedAt} is null)`),
    check('job_outcome_state', sql`(${t.finishedAt} is null) = (${t.outcome} is null)`),
    check(
      'job_outcome_kept',
      sql`${t.state} in ('queued', 'running', 'superseded') or ${t.outcome} = ${t.state}`,
    ),
    check('job_claim', sql`(${t.state} = 'running') = (${t.workerClaim} is not null)`),
    check('job_running', sql`${t.state} <> 'running' or (${t.startedAt} is not null and ${t.run} >= 1)`),
    check(
      'job_heartbeat',
      sql`${t.state} <> 'running' or ${t.external} or ${t.runningHeartbeatAt} is not null`,
    ),
    check(
      'job_response',
      sql`(${t.outcome} is not distinct from 'succeeded') = (${t.responseId} is not null)`,
    ),
    check('job_failed', sql`${t.outcome} is distinct from 'failed' or ${t.errorKind} is not null`),
    check('job_succeeded', sql`${t.outcome} is distinct from 'succeeded' or ${t.errorKind} is null`),
    check(
      'job_hold',
      sql`${t.holdReason} in ('failed', 'cancelled') and ${t.blockedBy} is not null or ${t.holdReason} is null`,
    ),
    check('job_permit', sql`${t.permit} >= 1 and ${t.state} in ('queued', 'running') or ${t.permit} is null`),
    check('job_permit_at', sql`(${t.permit} is null) = (${t.permitAt} is null)`),
    uniqueIndex('job_current').on(t.promptId).where(sql`state <> 'superseded'`),
    uniqueIndex('job_supersedes').on(t.supersedes).where(sql`supersedes is not null`),
    index('job_by_prompt').on(t.promptId, t.createdAt, t.id),
    index('job_claimable')
      .on(t.permitAt, t.claimRank, t.id)
      .where(sql`state = 'queued' and permit is not null and blocked_by is null`),
    index('job_due').on(t.availableAt).where(sql`state = 'queued' and permit is null and blocked_by is null`),
    uniqueIndex('job_permit_unique')
      .on(t.orgId, t.permit)
      .where(sql`permit is not null and state in ('queued', 'running')`),
    index('job_without_permit')
      .on(t.orgId, t.claimRank, t.id)
      .where(sql`state = 'queued' and permit is null and blocked_by is null`),
    index('job_alive').on(t.runningHeartbeatAt).where(sql`state = 'running' and not external`),
    index('job_blocked').on(t.blockedBy).where(sql`state = 'queued' and blocked_by is not null`),
    index('job_open_by_owner').on(t.orgId, t.createdBy, t.state).where(sql`state in ('queued', 'running')`),
    index('job_by_batch').on(t.batchId).where(sql`batch_id is not null`),
    index('job_finished_at').on(t.finishedAt).where(sql`finished_at is not null`),
  ],
)

/** One row per finished run: what it was, what it cost, how it ended. */
export const ledger = pgTable(
  'ledger',
  {
    jobId: uuid('job_id')
      .notNull()
      .references(() => job.id),
    run: integer('run').notNull(),
    attempt: smallint('attempt').notNull(),
    counted: boolean('counted').notNull(),
    provider: text('provider'),
    model: text('model'),
    adapterRequestId: text('adapter_request_id'),
    inputTokens: integer('input_tokens'),
    outputTokens: integer('output_tokens'),
    finishReason: text('finish_reason'),
    queuedMs: integer53('queued_ms'),
    firstTokenMs: integer53('first_token_ms'),
    runMs: integer53('run_ms'),
    errorKind: text('error_kind'),
    errorMessage: text('error_message'),
    partialText: text('partial_text'),
    at: instant('at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.jobId, t.run] }),
    check('ledger_error_kind', oneOf(t.errorKind, errorKinds)),
    check('ledger_run', sql`${t.run} >= 1 and ${t.attempt} >= 1`),
  ],
)

/** Text received so far of a running attempt, a row per chunk, at most one a second. */
export const draft = pgTable(
  'draft',
  {
    jobId: uuid('job_id')
      .notNull()
      .references(() => job.id),
    run: integer('run').notNull(),
    seq: integer('seq').notNull(),
    text: text('text').notNull(),
    at: instant('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.jobId, t.run, t.seq] })],
)

/**
 * A provider that takes no calls: until its own word, and then until one probe has shown that it takes them again.
 * An open gate has no row.
 */
export const providerGate = pgTable(
  'provider_gate',
  {
    provider: text('provider').primaryKey(),
    closedUntil: instant('closed_until').notNull(),
    /** The one job that may call it; set when the time has come. */
    probeJobId: uuid('probe_job_id'),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [index('provider_gate_due').on(t.closedUntil).where(sql`probe_job_id is null`)],
)

/** A bulk request as a whole, for its progress. */
export const batch = pgTable(
  'batch',
  {
    id: uuid('id').primaryKey(),
    ...scope(),
    total: integer('total').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [check('batch_total', sql`${t.total} >= 0`)],
)

/** A recurring prompt: cron expression in a zone, and its next time. */
export const schedule = pgTable(
  'schedule',
  {
    id: uuid('id').primaryKey(),
    ...scope(),
    name: text('name').notNull(),
    cron: text('cron').notNull(),
    zone: text('zone').notNull(),
    request: jsonb('request').notNull(),
    threadId: uuid('thread_id'),
    nextAt: instant('next_at'),
    lastAt: instant('last_at'),
    lastPromptId: uuid('last_prompt_id'),
    pausedAt: instant('paused_at'),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    index('schedule_by_owner').on(t.orgId, t.createdBy, t.nextAt, t.id),
    index('schedule_due').on(t.nextAt).where(sql`paused_at is null and next_at is not null`),
  ],
)

/** One submission to a scheduler; its manifest is the durable file that says so (DESIGN §11). */
export const externalJob = pgTable(
  'external_job',
  {
    id: uuid('id').primaryKey(),
    promptId: uuid('prompt_id')
      .notNull()
      .references(() => entity.id),
    jobId: uuid('job_id')
      .notNull()
      .references(() => job.id),
    backend: text('backend').notNull(),
    backendJobId: text('backend_job_id'),
    status: text('status').notNull(),
    reason: text('reason'),
    manifestPath: text('manifest_path').notNull(),
    details: jsonb('details').notNull().default({}),
    nextPollAt: instant('next_poll_at'),
    submittedAt: instant('submitted_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    check(
      'external_job_status',
      sql`${t.status} in ('submitted', 'running', 'completed-unverified', 'failed', 'cancelled', 'timeout')`,
    ),
    uniqueIndex('external_job_by_job').on(t.jobId),
    index('external_job_by_prompt').on(t.promptId),
    index('external_job_poll').on(t.nextPollAt).where(sql`next_poll_at is not null`),
  ],
)
