import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { sqlJson } from '../database/sql-values.ts'
import { moment } from '../jobs/transition.ts'

/**
 * Remembers which job's answer a person has seen, per prompt. Only prompts that are theirs, jobs of that prompt, and
 * what is not known already; each change writes an event, so that other tabs and devices agree.
 */
export async function markSeen(
  tx: Tx,
  owner: { orgId: string; personId: string },
  prompts: readonly { prompt_id: string; job_id: string }[],
  now: Date,
): Promise<void> {
  const rows = await tx.rows<{ id: string }>(sql`
    with wanted as (
      select distinct on (w.prompt_id) w.prompt_id, w.job_id, p.org_id, p.created_by
      from jsonb_to_recordset(${sqlJson(prompts)}) as w(prompt_id uuid, job_id uuid)
      join entity p on p.id = w.prompt_id and p.kind = 'prompt'
        and p.org_id = ${owner.orgId}::uuid and p.created_by = ${owner.personId}::uuid
      join job j on j.id = w.job_id and j.prompt_id = w.prompt_id
      order by w.prompt_id, j.created_at desc, j.id desc),
    marked as (
      insert into seen as s (person_id, prompt_id, job_id, at)
      select created_by, prompt_id, job_id, ${moment(now)} from wanted order by prompt_id
      on conflict (person_id, prompt_id) do update set job_id = excluded.job_id, at = excluded.at
        where s.job_id <> excluded.job_id
      returning prompt_id, job_id)
    insert into event (org_id, owner, prompt_id, job_id, kind, data, at)
    select w.org_id, w.created_by, m.prompt_id, m.job_id, 'prompt-seen', '{}'::jsonb, ${moment(now)}
    from marked m join wanted w on w.prompt_id = m.prompt_id order by m.prompt_id
    returning prompt_id as id`)
  if (rows.length > 0) tx.signal({ topic: 'events' })
}
