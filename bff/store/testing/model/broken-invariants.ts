import { sql } from 'drizzle-orm'
import { violations } from '../../../domain/job-state.ts'
import type { Database } from '../../database/database.ts'
import { readRealJobs } from './real-queue.ts'

/**
 * What must hold of all rows together at every moment, whatever happened and in whatever order; each breach in words,
 * with the ids that break it. Reads everything: for tests' databases only.
 */
export async function brokenInvariants(database: Database): Promise<string[]> {
  const rows = await database.rows<{ what: string; ids: string[] }>(sql`
    with breach (what, id) as (
      select 'a prompt without exactly one current job', p.id from entity p
      where p.kind = 'prompt'
        and (select count(*) from job j where j.prompt_id = p.id and j.state <> 'superseded') <> 1
      union all
      select 'an answered job without its response and edge', j.id from job j
      where j.outcome = 'succeeded' and not exists (
        select from entity r join edge e on e.from_id = j.prompt_id and e.to_id = r.id and e.kind = 'flows-to'
        where r.id = j.response_id and r.kind = 'response' and r.parent_id = j.prompt_id)
      union all
      select 'a response of no answered job', r.id from entity r
      where r.kind = 'response' and (select count(*) from job j where j.response_id = r.id) <> 1
      union all
      select 'a ledger that is not the finished runs', j.id from job j
      left join (select job_id, count(*) as runs, max(run) as newest from ledger group by job_id) l on l.job_id = j.id
      where coalesce(l.runs, 0) <> j.run - (j.state = 'running')::int or coalesce(l.newest, 0) > j.run
      union all
      select 'a revision that is not the number of changes told', p.id from entity p
      where p.kind = 'prompt' and p.revision <> (select count(*) from event e where e.prompt_id = p.id)
      union all
      select 'a superseded job without its successor', o.id from job o
      where (o.state = 'superseded') <> exists (
        select from job n where n.supersedes = o.id and n.prompt_id = o.prompt_id and n.created_at > o.created_at)
      union all
      select 'a wait for what is over', f.id from job f join job p on p.prompt_id = f.blocked_by and p.state <> 'superseded'
      where f.state = 'queued'
        and (case when f.hold_reason is null then p.state not in ('queued', 'running') else p.state <> f.hold_reason end)
      union all
      select 'a wait of what does not wait', j.id from job j
      where j.state <> 'queued' and (j.blocked_by is not null or j.hold_reason is not null)
      union all
      select 'a running job without a permit', j.id from job j
      where j.state = 'running' and not j.external and j.permit is null
      union all
      select 'a permit of what could not run', j.id from job j
      where j.state = 'queued' and j.permit is not null and (j.blocked_by is not null or exists (
        select from provider_gate g where g.provider = j.provider and g.probe_job_id is distinct from j.id))
      union all
      select 'a draft of what does not run', d.job_id from draft d join job j on j.id = d.job_id
      where j.state <> 'running' or d.run <> j.run)
    select what, array_agg(id::text order by id) as ids from breach group by what order by what`)
  const wrong = (await readRealJobs(database)).flatMap(({ id, facts }) =>
    violations(facts).map((what) => `${what}: ${id}`),
  )
  return [...rows.map(({ what, ids }) => `${what}: ${ids.join(', ')}`), ...wrong]
}
