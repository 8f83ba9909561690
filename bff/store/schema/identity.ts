import { sql } from 'drizzle-orm'
import { check, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { instant } from './columns.ts'

export const org = pgTable('org', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  createdAt: instant('created_at').notNull(),
})

export const person = pgTable('person', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  timeZone: text('time_zone'),
  presentAt: instant('present_at'),
  createdAt: instant('created_at').notNull(),
})

/** What a person may do in an org: members see their own prompts, operators the org's through CLI and admin routes. */
export const membership = pgTable(
  'membership',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => org.id),
    personId: uuid('person_id')
      .notNull()
      .references(() => person.id),
    role: text('role').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.orgId, t.personId] }),
    check('membership_role', sql`${t.role} in ('owner', 'operator', 'member')`),
  ],
)

/** A signed-in browser, bound to one org. Only the token's digest is kept. */
export const session = pgTable(
  'session',
  {
    tokenSha256: text('token_sha256').primaryKey(),
    orgId: uuid('org_id')
      .notNull()
      .references(() => org.id),
    personId: uuid('person_id')
      .notNull()
      .references(() => person.id),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [index('session_expiry').on(t.expiresAt)],
)

/** A one-time way in; used at most once, for 15 minutes. Only the token's digest is kept. */
export const loginLink = pgTable(
  'login_link',
  {
    tokenSha256: text('token_sha256').primaryKey(),
    orgId: uuid('org_id')
      .notNull()
      .references(() => org.id),
    personId: uuid('person_id')
      .notNull()
      .references(() => person.id),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    usedAt: instant('used_at'),
  },
  (t) => [index('login_link_expiry').on(t.expiresAt)],
)

/** What an org or a person has set; the org's own rows carry the nil UUID as their person. */
export const setting = pgTable(
  'setting',
  {
    orgId: uuid('org_id')
      .notNull()
      .references(() => org.id),
    personId: uuid('person_id').notNull(),
    key: text('key').notNull(),
    value: jsonb('value').notNull(),
    updatedAt: instant('updated_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.orgId, t.personId, t.key] })],
)
