import { sql } from 'drizzle-orm'
import { check, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { edgeKinds, entityKinds, stateClasses, truthClasses, verdicts } from '../../../shared/entity.ts'
import { instant, integer53, scope } from './columns.ts'
import { oneOf } from './one-of.ts'

/** A durable piece of authored knowledge: prompt, response or context. `correlation_id` is its thread. */
export const entity = pgTable(
  'entity',
  {
    id: uuid('id').primaryKey(),
    kind: text('kind').notNull(),
    ...scope(),
    parentId: uuid('parent_id'),
    correlationId: uuid('correlation_id').notNull(),
    causationId: uuid('causation_id'),
    sourceRefs: jsonb('source_refs').notNull().default([]),
    truthClass: text('truth_class').notNull(),
    stateClass: text('state_class').notNull().default('working'),
    verdict: text('verdict'),
    verdictNote: text('verdict_note'),
    verdictAt: instant('verdict_at'),
    body: text('body').notNull(),
    meta: jsonb('meta').notNull().default({}),
    revision: integer53('revision').notNull().default(1),
    createdAt: instant('created_at').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [
    check('entity_kind', oneOf(t.kind, entityKinds)),
    check('entity_truth_class', oneOf(t.truthClass, truthClasses)),
    check('entity_state_class', oneOf(t.stateClass, stateClasses)),
    check('entity_verdict', oneOf(t.verdict, verdicts)),
    check('entity_verdict_at', sql`(${t.verdict} is null) = (${t.verdictAt} is null)`),
    check('entity_revision', sql`${t.revision} >= 1`),
    index('entity_by_owner').on(t.orgId, t.createdBy, t.createdAt, t.id).where(sql`kind = 'prompt'`),
    index('entity_by_thread').on(t.correlationId, t.createdAt, t.id).where(sql`kind = 'prompt'`),
    index('entity_by_parent').on(t.parentId).where(sql`kind = 'prompt' and parent_id is not null`),
  ],
)

/** A typed link between two entities. */
export const edge = pgTable(
  'edge',
  {
    fromId: uuid('from_id')
      .notNull()
      .references(() => entity.id),
    toId: uuid('to_id')
      .notNull()
      .references(() => entity.id),
    kind: text('kind').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.fromId, t.toId, t.kind] }),
    check('edge_kind', oneOf(t.kind, edgeKinds)),
    check('edge_no_loop', sql`${t.fromId} <> ${t.toId}`),
    index('edge_to').on(t.toId, t.kind),
  ],
)

/** A thread's own fields; its id is the correlation id. `row_order` is its lane, never re-sorted by activity. */
export const thread = pgTable(
  'thread',
  {
    id: uuid('id').primaryKey(),
    ...scope(),
    title: text('title').notNull(),
    rowOrder: integer53('row_order').notNull(),
    retractedAt: instant('retracted_at'),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [index('thread_by_owner').on(t.orgId, t.createdBy, t.rowOrder, t.id)],
)

/** Which job's answer a person has seen, per prompt: a new answer is unseen again. */
export const seen = pgTable(
  'seen',
  {
    personId: uuid('person_id').notNull(),
    promptId: uuid('prompt_id')
      .notNull()
      .references(() => entity.id),
    jobId: uuid('job_id').notNull(),
    at: instant('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.personId, t.promptId] })],
)

/** A file that belongs to a prompt: made by a cluster job, verified by its digest. */
export const artifact = pgTable(
  'artifact',
  {
    id: uuid('id').primaryKey(),
    promptId: uuid('prompt_id')
      .notNull()
      .references(() => entity.id),
    jobId: uuid('job_id'),
    path: text('path').notNull(),
    bytes: integer53('bytes').notNull(),
    sha256: text('sha256').notNull(),
    verifiedAt: instant('verified_at'),
    createdAt: instant('created_at').notNull(),
  },
  (t) => [
    check('artifact_bytes', sql`${t.bytes} >= 0`),
    check('artifact_sha256', sql`${t.sha256} ~ '^[0-9a-f]{64}$'`),
    index('artifact_by_prompt').on(t.promptId),
  ],
)
