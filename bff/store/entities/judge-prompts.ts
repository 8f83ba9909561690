import { sql } from 'drizzle-orm'
import type { Verdict } from '../../../shared/entity.ts'
import type { Tx } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'
import { moment } from '../jobs/transition.ts'

/**
 * Gives prompts a verdict without a note, or takes theirs back. Confirmed and refuted are what is known of them from
 * then on; anything else leaves them what they were, a person's assertion. Job rows are locked before prompt rows, as
 * everywhere; whose the prompts are, and that they are answered, is the caller's to check.
 */
export async function judgePrompts(
  tx: Tx,
  promptIds: readonly string[],
  { verdict, actor, now }: { verdict: Verdict | null; actor: string; now: Date },
): Promise<void> {
  const ids = sqlArray(promptIds, 'uuid')
  await tx.rows(sql`
    select id from job where prompt_id = any(${ids}) and state <> 'superseded' order by id for share`)
  await tx.rows(sql`
    with wanted as (
      select id from entity where id = any(${ids}) and kind = 'prompt' and state_class <> 'retracted'
      order by id for update),
    judged as (
      update entity p set verdict = ${verdict}::text, verdict_note = null,
        verdict_at = case when ${verdict}::text is null then null else ${moment(now)} end,
        truth_class = case when ${verdict}::text in ('confirmed', 'refuted') then ${verdict}::text else 'asserted' end,
        revision = p.revision + 1, updated_at = ${moment(now)}
      from wanted w where p.id = w.id returning p.id, p.org_id, p.created_by)
    insert into event (org_id, owner, prompt_id, kind, data, at)
    select j.org_id, j.created_by, j.id, 'entity-judged',
      jsonb_build_object('verdict', ${verdict}::text, 'actor', ${actor}::text), ${moment(now)}
    from judged j order by j.id`)
  tx.signal({ topic: 'events' })
}
