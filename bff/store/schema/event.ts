import { sql } from 'drizzle-orm'
import { bigserial, check, index, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { instant, integer53, scope, xid8 } from './columns.ts'

/**
 * One row per change, written in the transaction that made it: the audit trail, the trace, the feed of SSE and of
 * polling. `owner` is the prompt's owner and routes the feed; `data.actor` is who acted.
 */
export const event = pgTable(
  'event',
  {
    seq: bigserial('seq', { mode: 'number' }).primaryKey(),
    tx: xid8('tx').notNull().default(sql`pg_current_xact_id()`),
    orgId: uuid('org_id').notNull(),
    owner: uuid('owner').notNull(),
    promptId: uuid('prompt_id'),
    jobId: uuid('job_id'),
    run: integer('run'),
    kind: text('kind').notNull(),
    data: jsonb('data').notNull().default({}),
    at: instant('at').notNull(),
  },
  (t) => [
    check('event_kind', sql`${t.kind} ~ '^[a-z]+(-[a-z]+)+$'`),
    index('event_feed').on(t.orgId, t.owner, t.tx, t.seq),
    index('event_all').on(t.tx, t.seq),
    index('event_since').on(t.orgId, t.owner, t.at),
    index('event_by_prompt').on(t.promptId, t.seq),
  ],
)

/** What must reach the outside, until it is acknowledged. */
export const delivery = pgTable(
  'delivery',
  {
    id: uuid('id').primaryKey(),
    orgId: uuid('org_id').notNull(),
    webhookId: uuid('webhook_id').notNull(),
    eventSeq: integer53('event_seq').notNull(),
    payload: jsonb('payload').notNull(),
    attempts: integer('attempts').notNull().default(0),
    nextAt: instant('next_at'),
    acknowledgedAt: instant('acknowledged_at'),
    lastError: text('last_error'),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    check('delivery_attempts', sql`${t.attempts} >= 0`),
    index('delivery_due').on(t.nextAt).where(sql`acknowledged_at is null`),
    index('delivery_by_org').on(t.orgId, t.createdAt),
  ],
)

/** Where an org wants to be told; the secret signs and never leaves the server. */
export const webhook = pgTable(
  'webhook',
  {
    id: uuid('id').primaryKey(),
    ...scope(),
    url: text('url').notNull(),
    secret: text('secret').notNull(),
    kinds: jsonb('kinds').notNull(),
    pausedAt: instant('paused_at'),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [index('webhook_by_org').on(t.orgId)],
)

/** Facts about this database as a whole: `epoch`, `event_floor`. */
export const meta = pgTable('meta', { key: text('key').primaryKey(), value: jsonb('value').notNull() })
