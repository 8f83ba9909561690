import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { moment } from '../jobs/transition.ts'
import type { Who } from './sessions.ts'

export interface NewMember extends Who {
  orgName: string
  personName: string
  role: 'owner' | 'operator' | 'member'
}

/** A person in an org, both made if they are not there yet. */
export async function insertMember(tx: Tx, member: NewMember, now: Date): Promise<void> {
  await tx.rows(sql`
    insert into org (id, name, created_at) values (${member.orgId}::uuid, ${member.orgName}, ${moment(now)})
    on conflict do nothing`)
  await tx.rows(sql`
    insert into person (id, name, created_at) values (${member.personId}::uuid, ${member.personName}, ${moment(now)})
    on conflict do nothing`)
  await tx.rows(sql`
    insert into membership (org_id, person_id, role)
    values (${member.orgId}::uuid, ${member.personId}::uuid, ${member.role}) on conflict do nothing`)
}

/** The owner of the oldest org; a lock keeps two processes from each making one. */
export async function findOwner(tx: Tx): Promise<Who | null> {
  await tx.rows(sql`lock table org in share row exclusive mode`)
  const [row] = await tx.rows<Who>(sql`
    select m.org_id as "orgId", m.person_id as "personId" from membership m join org o on o.id = m.org_id
    where m.role = 'owner' order by o.created_at, o.id, m.person_id limit 1`)
  return row ?? null
}
