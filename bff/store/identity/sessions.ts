import { sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../database/database.ts'
import { moment } from '../jobs/transition.ts'

/** Whom a session or link stands for. */
export interface Who {
  orgId: string
  personId: string
}

export async function insertLoginLink(
  queryable: Queryable,
  tokenSha256: string,
  who: Who,
  expiresAt: Date,
  now: Date,
) {
  await queryable.rows(sql`
    insert into login_link (token_sha256, org_id, person_id, created_at, expires_at)
    values (${tokenSha256}, ${who.orgId}::uuid, ${who.personId}::uuid, ${moment(now)}, ${moment(expiresAt)})`)
}

/** Uses a link up: a compare-and-set, so that of two uses one wins. @returns whom it stood for, or null. */
export async function takeLoginLink(
  queryable: Queryable,
  tokenSha256: string,
  now: Date,
): Promise<Who | null> {
  const [row] = await queryable.rows<Who>(sql`
    update login_link set used_at = ${moment(now)}
    where token_sha256 = ${tokenSha256} and used_at is null and expires_at > ${moment(now)}
    returning org_id as "orgId", person_id as "personId"`)
  return row ?? null
}

export async function insertSession(
  queryable: Queryable,
  tokenSha256: string,
  who: Who,
  expiresAt: Date,
  now: Date,
) {
  await queryable.rows(sql`
    insert into session (token_sha256, org_id, person_id, created_at, expires_at)
    values (${tokenSha256}, ${who.orgId}::uuid, ${who.personId}::uuid, ${moment(now)}, ${moment(expiresAt)})`)
}

export interface SessionRow extends Who {
  role: 'owner' | 'operator' | 'member'
  expiresAt: Date
  personName: string
  orgName: string
  timeZone: string | null
}

/** A session that has not expired, of a person who is still a member; expiry is checked at every use. */
export async function readSession(
  queryable: Queryable,
  tokenSha256: string,
  now: Date,
): Promise<SessionRow | null> {
  const [row] = await queryable.rows<SessionRow>(sql`
    select s.org_id as "orgId", s.person_id as "personId", m.role, s.expires_at as "expiresAt",
      p.name as "personName", o.name as "orgName", p.time_zone as "timeZone"
    from session s
    join membership m on m.org_id = s.org_id and m.person_id = s.person_id
    join person p on p.id = s.person_id join org o on o.id = s.org_id
    where s.token_sha256 = ${tokenSha256} and s.expires_at > ${moment(now)}`)
  return row ?? null
}

/** Ends a session; every process that remembers it hears of it. */
export async function deleteSession(tx: Tx, tokenSha256: string): Promise<void> {
  await tx.rows(sql`delete from session where token_sha256 = ${tokenSha256}`)
  tx.signal({ topic: 'session-ended', tokenDigest: tokenSha256 })
}
