import { sql } from 'drizzle-orm'
import postgres from 'postgres'
import { migrate } from '../../bff/store/database/migrate.ts'
import { openPostgres } from '../../bff/store/database/postgres/open-postgres.ts'
import { claimJobs } from '../../bff/store/jobs/claim-jobs.ts'
import { rounded, spreadOf } from '../percentiles.ts'

const orgs = 1_000
const queuedPerOrg = 100
const finished = Number(process.env.BENCH_QUEUE_FINISHED ?? 1_000_000)
const permits = 8
const claims = 500

/**
 * What a claim costs with 100,000 jobs queued in 1,000 orgs (eight permits each), and a million finished: the server's own
 * mean of the statement's execution, each claim in a transaction of its own, and the same as the client sees it.
 */
export async function claimCost(url: string): Promise<Record<string, unknown>> {
  const raw = postgres(url, { max: 1, onnotice: () => {} })
  const database = await openPostgres({ url, connectionsMax: 1 })
  try {
    await migrate(database)
    await fill(raw)
    await raw`create extension if not exists pg_stat_statements`
    const empty = await claimTimes(database, raw)
    return { rows: { queued: orgs * queuedPerOrg, finished, orgs }, ...empty }
  } finally {
    await database.close()
    await raw.end({ timeout: 1 })
  }
}

async function claimTimes(
  database: Awaited<ReturnType<typeof openPostgres>>,
  raw: postgres.Sql,
): Promise<Record<string, unknown>> {
  const times: number[] = []
  await raw`select pg_stat_statements_reset()`
  for (let n = 0; n < claims; n++) {
    const start = performance.now()
    const taken = await database.transaction((tx) =>
      claimJobs(tx, { workerId: 'bench', limit: 1, now: new Date() }),
    )
    times.push(performance.now() - start)
    if (taken.length !== 1) throw new Error(`claimed ${taken.length}, not 1`)
  }
  const [row] = await raw<{ mean: number; max: number }[]>`
    select mean_exec_time as mean, max_exec_time as max from pg_stat_statements
    where query like '%worker_claim = gen_random_uuid()%' order by calls desc limit 1`
  const { p50, p99 } = spreadOf(times)
  return {
    'server mean ms, whole statement': rounded(row?.mean ?? Number.NaN),
    'server max ms': rounded(row?.max ?? Number.NaN),
    'search alone, mean ms': await searchCost(database),
    'client ms, transaction': { p50, p99 },
  }
}

/** The same search without the writes of a transition, which the statement makes in the same breath. */
async function searchCost(database: Awaited<ReturnType<typeof openPostgres>>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < 200; n++) {
    const [plan] = await database.rows<{ 'QUERY PLAN': { 'Execution Time': number }[] }>(sql`
      explain (analyze, timing off, format json)
      select j.id from job j
      where j.state = 'queued' and j.permit is not null and j.blocked_by is null and j.available_at <= now()
        and j.priority <= 100 and not exists (
          select from provider_gate g where g.provider = j.provider and g.probe_job_id is distinct from j.id)
      order by j.permit_at, j.claim_rank, j.id limit 1 for update skip locked`)
    times.push(plan?.['QUERY PLAN'][0]?.['Execution Time'] ?? Number.NaN)
  }
  return rounded(times.reduce((sum, time) => sum + time, 0) / times.length)
}

/** Foreign keys are not checked meanwhile: a million prompts would say nothing about a claim. */
async function fill(raw: postgres.Sql): Promise<void> {
  await raw.unsafe(`
    set session_replication_role = replica;
    create temporary table orgs as select n, gen_random_uuid() as id, gen_random_uuid() as person
      from generate_series(1, ${orgs}) n;
    insert into entity (id, kind, org_id, created_by, correlation_id, truth_class, body, created_at, updated_at)
      select gen_random_uuid(), 'prompt', o.id, o.person, gen_random_uuid(), 'asserted', 'What is it?', now(), now()
      from orgs o cross join generate_series(1, ${queuedPerOrg});
    insert into job (id, prompt_id, org_id, created_by, provider, available_at, claim_rank, permit, permit_at, created_at, updated_at)
      select gen_random_uuid(), q.id, q.org_id, q.created_by, 'scripted', now(), q.place, 
        case when q.place <= ${permits} then q.place end, case when q.place <= ${permits} then now() end, now(), now()
      from (select e.*, row_number() over (partition by org_id order by id) as place from entity e) q;
    insert into job (id, prompt_id, org_id, created_by, provider, state, outcome, response_id, available_at, claim_rank,
        finished_at, created_at, updated_at)
      select gen_random_uuid(), gen_random_uuid(), o.id, o.person, 'scripted', 'succeeded', 'succeeded', gen_random_uuid(),
        now(), f.n, now(), now(), now()
      from generate_series(1, ${finished}) as f(n) join orgs o on o.n = f.n % ${orgs} + 1;
    set session_replication_role = origin`)
  await raw.unsafe('vacuum analyze')
}
