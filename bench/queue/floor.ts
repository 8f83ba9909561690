import postgres from 'postgres'
import type { QueueUnderTest } from './queue-under-test.ts'

/** What a floor does at each of a job's steps, each one statement. */
interface FloorStatements {
  name: string
  /** Stores prompts with their jobs and events. `ids` is the array of them as PostgreSQL writes it. */
  enqueue(sql: postgres.ISql, ids: string): postgres.PendingQuery<postgres.Row[]>
  /** Takes the next job. */
  claim(sql: postgres.Sql): postgres.PendingQuery<{ id: string }[]>
  settle(sql: postgres.Sql, id: string): postgres.PendingQuery<postgres.Row[]>
  tables: readonly string[]
}

/**
 * The least that a queue of ours could do: claim by `SKIP LOCKED`, settle, LISTEN, and write what a transition really
 * writes (job, revision, event, response, edge, ledger) to bare tables, in one statement each on a prepared connection.
 * No permits, no fence beyond the id, no followers, no views: what is above it is the price of those.
 */
export async function floorQueue(url: string): Promise<QueueUnderTest> {
  const sql = connect(url)
  await sql.unsafe(bareTables)
  return floorOf(sql, onBareTables)
}

/**
 * The same on the product's own tables, with their checks and indexes, which must be there already: what lies between the
 * two floors is the price of the tables, what lies above this one is the engine's.
 */
export async function floorOnOurTables(url: string): Promise<QueueUnderTest> {
  const sql = connect(url)
  await sql.unsafe('create sequence floor_permit as integer')
  return floorOf(sql, onOurTables)
}

const connect = (url: string) => postgres(url, { max: 32, fetch_types: false, onnotice: () => {} })

function floorOf(sql: postgres.Sql, does: FloorStatements): QueueUnderTest {
  const work = async (onStart: () => void): Promise<boolean> => {
    const [job] = await does.claim(sql)
    if (!job) return false
    onStart()
    await does.settle(sql, job.id)
    return true
  }
  return {
    name: does.name,
    async enqueue(id) {
      await does.enqueue(sql, `{${id}}`)
    },
    async enqueueMany(ids) {
      await does.enqueue(sql, `{${ids.join()}}`)
    },
    async process(concurrency) {
      await Promise.all(
        Array.from({ length: concurrency }, async () => {
          while (await work(() => {}));
        }),
      )
    },
    async follow(onStart) {
      let wanted = false
      let busy = false
      const drain = async (): Promise<void> => {
        wanted = true
        if (busy) return
        busy = true
        while (wanted) {
          wanted = false
          while (await work(onStart));
        }
        busy = false
      }
      const ear = await sql.listen('floor_jobs', () => void drain())
      return { stop: () => ear.unlisten() }
    },
    async enqueueAndTell(id) {
      await sql.begin(async (tx) => {
        await does.enqueue(tx, `{${id}}`)
        await tx`select pg_notify('floor_jobs', '')`
      })
    },
    async clear() {
      await sql.unsafe(`truncate ${does.tables.join()} cascade`)
    },
    close: () => sql.end({ timeout: 1 }),
  }
}

const onBareTables: FloorStatements = {
  name: 'floor',
  enqueue: (sql, ids) => sql`
    with e as (
      insert into floor_entity (id, kind, body) select unnest(${ids}::uuid[]), 'prompt', 'cycle' returning id),
    j as (insert into floor_job (id, prompt_id) select id, id from e returning id)
    insert into floor_event (job_id, kind) select id, 'job-queued' from j`,
  claim: (sql) => sql<{ id: string }[]>`
    with moved as (
      update floor_job set state = 'running', claim = gen_random_uuid(), started_at = now() where id in (
        select id from floor_job where state = 'queued' order by rank limit 1 for update skip locked)
      returning id, prompt_id),
    b as (update floor_entity e set revision = revision + 1 from moved m where e.id = m.prompt_id),
    t as (insert into floor_event (job_id, kind) select id, 'job-claimed' from moved)
    select id from moved`,
  settle: (sql, id) => sql`
    with moved as (
      update floor_job set state = 'succeeded', claim = null, finished_at = now()
      where id = ${id} and state = 'running' returning id, prompt_id),
    r as (insert into floor_entity (id, kind, body) select gen_random_uuid(), 'response', 'done' from moved returning id),
    g as (insert into floor_edge (from_id, to_id) select m.prompt_id, r.id from moved m, r),
    l as (insert into floor_ledger (job_id, run_ms) select id, 1 from moved),
    b as (update floor_entity e set revision = revision + 1 from moved m where e.id = m.prompt_id)
    insert into floor_event (job_id, kind) select id, 'job-succeeded' from moved`,
  tables: ['floor_entity', 'floor_job', 'floor_event', 'floor_edge', 'floor_ledger'],
}

const bareTables = `
  create table floor_entity (id uuid primary key, kind text not null, body text not null, revision bigint not null default 1,
    created_at timestamptz not null default now());
  create table floor_job (id uuid primary key, prompt_id uuid not null references floor_entity, state text not null default 'queued',
    rank bigint not null default (extract(epoch from clock_timestamp()) * 1000000)::bigint, claim uuid,
    started_at timestamptz, finished_at timestamptz, created_at timestamptz not null default now());
  create index on floor_job (rank) where state = 'queued';
  create table floor_event (seq bigserial primary key, tx xid8 not null default pg_current_xact_id(), job_id uuid not null,
    kind text not null, data jsonb not null default '{}', at timestamptz not null default now());
  create index on floor_event (tx, seq);
  create table floor_edge (from_id uuid not null references floor_entity, to_id uuid not null references floor_entity,
    primary key (from_id, to_id));
  create table floor_ledger (job_id uuid primary key references floor_job, run_ms bigint, at timestamptz not null default now())`

/** One org and one person; a permit for each job, so that the index of the claims is used as it is. */
const org = '00000000-0000-7000-8000-000000007410'

const onOurTables: FloorStatements = {
  name: 'floor on our tables',
  enqueue: (sql, ids) => sql`
    with e as (
      insert into entity (id, kind, org_id, created_by, correlation_id, truth_class, body, created_at, updated_at)
      select id, 'prompt', ${org}::uuid, ${org}::uuid, id, 'asserted', 'cycle', now(), now() from unnest(${ids}::uuid[]) as id
      returning id),
    t as (
      insert into thread (id, org_id, created_by, title, row_order, created_at)
      select id, ${org}::uuid, ${org}::uuid, 'cycle', 0, now() from e),
    j as (
      insert into job (id, prompt_id, org_id, created_by, claim_rank, permit, permit_at, provider, model, available_at,
                       created_at, updated_at)
      select id, id, ${org}::uuid, ${org}::uuid, 0, nextval('floor_permit'), now(), 'no-op', 'no-op', now(), now(), now()
      from e returning id)
    insert into event (org_id, owner, prompt_id, job_id, run, kind, at)
    select ${org}::uuid, ${org}::uuid, id, id, 0, 'job-queued', now() from j`,
  claim: (sql) => sql<{ id: string }[]>`
    with moved as (
      update job set state = 'running', run = run + 1, worker_claim = gen_random_uuid()::text, worker_id = 'floor',
        claimed_at = now(), started_at = now(), running_heartbeat_at = now(), updated_at = now()
      where id in (
        select id from job where state = 'queued' and permit is not null and blocked_by is null
        order by permit_at, claim_rank, id limit 1 for update skip locked)
      returning id, prompt_id),
    b as (update entity e set revision = revision + 1, updated_at = now() from moved m where e.id = m.prompt_id),
    t as (
      insert into event (org_id, owner, prompt_id, job_id, run, kind, at)
      select ${org}::uuid, ${org}::uuid, id, id, 1, 'job-claimed', now() from moved)
    select id from moved`,
  settle: (sql, id) => sql`
    with r as (
      insert into entity (id, kind, org_id, created_by, parent_id, correlation_id, truth_class, body, created_at, updated_at)
      values (gen_random_uuid(), 'response', ${org}, ${org}, ${id}, ${id}, 'generated', 'done', now(), now()) returning id),
    moved as (
      update job set state = 'succeeded', outcome = 'succeeded', worker_claim = null, permit = null, permit_at = null,
        finished_at = now(), response_id = (select id from r), updated_at = now()
      where id = ${id} and state = 'running' returning id, prompt_id),
    g as (insert into edge (from_id, to_id, kind, created_at) select m.prompt_id, r.id, 'flows-to', now() from moved m, r),
    l as (insert into ledger (job_id, run, attempt, counted, run_ms, at) select id, 1, 1, true, 1, now() from moved),
    b as (update entity e set revision = revision + 1, updated_at = now() from moved m where e.id = m.prompt_id)
    insert into event (org_id, owner, prompt_id, job_id, run, kind, at)
    select ${org}::uuid, ${org}::uuid, id, id, 1, 'job-succeeded', now() from moved`,
  tables: ['entity', 'thread', 'job', 'event', 'edge', 'ledger'],
}
