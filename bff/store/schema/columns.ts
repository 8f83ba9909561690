import { sql } from 'drizzle-orm'
import { bigint, customType, timestamp, uuid } from 'drizzle-orm/pg-core'

/** An instant with milliseconds, since JavaScript dates would cut microseconds and keyset pages would repeat rows. */
export const instant = (name: string) => timestamp(name, { precision: 3, withTimezone: true, mode: 'date' })

/** A count or number of ms that fits a JavaScript number. */
export const integer53 = (name: string) => bigint(name, { mode: 'number' })

/** PostgreSQL's 64-bit transaction id: never wraps, so it orders for good. */
export const xid8 = customType<{ data: bigint; driverData: string }>({
  dataType: () => 'xid8',
  fromDriver: (value) => BigInt(value),
  toDriver: (value) => sql`${String(value)}::xid8`,
})

/** Who may see a row: every query is scoped by both. */
export const scope = () => ({ orgId: uuid('org_id').notNull(), createdBy: uuid('created_by').notNull() })
