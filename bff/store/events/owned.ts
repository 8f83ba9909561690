import { type SQL, sql } from 'drizzle-orm'

/** Leaves the events of one owner, or everybody's for null; stands before another condition. */
export function owned(owner: { orgId: string; personId: string } | null): SQL {
  return owner ? sql`org_id = ${owner.orgId}::uuid and owner = ${owner.personId}::uuid and` : sql``
}
