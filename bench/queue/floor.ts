import postgres from 'postgres'
import type { QueueUnderTest } from './queue-under-test.ts'

/**
 * The least that a queue of ours could do: claim by `SKIP LOCKED`, settle, LISTEN, and write what a transition really
 * writes (job, revision, event, response, edge, ledger), in one statement each on a prepared connection. No permits, no
 * fence beyond the id, no followers, no views: what is above it is the price of those.
 */
export async function floorQueue(url: string): Promise<QueueUnderTest> {
  const sql = postgres(url, { max: 32, fetch_types: false, onnotice: () => {} })
  await sql.unsafe(tables)
  const one = (id: string) => sql`
    with e as (insert into floor_entity (id, kind, body) values (${id}, 'prompt', 'cycle')),
    j as (insert into floor_job (id, prompt_id) values (${id}, ${id}) returning id)
    insert into floor_event (job_id, kind) select id, 'job-queued' from j`
  const claim = (limit: number) => sql<{ id: string }[]>`
    with moved as (
      update floor_job set state = 'running', claim = gen_random_uuid(), started_at = now() where id in (
        select id from floor_job where state = 'queued' order by rank limit ${limit} for update skip locked)
      returning id, prompt_id),
    b as (update floor_entity e set revision = revision + 1 from moved m where e.id = m.prompt_id),
    t as (insert into floor_event (job_id, kind) select id, 'job-claimed' from moved)
    select id from moved`
  const settle = (id: string) => sql`
    with moved as (
      update floor_job set state = 'succeeded', claim = null, finished_at = now()
      where id = ${id} and state = 'running' returning id, prompt_id),
    r as (insert into floor_entity (id, kind, body) select gen_random_uuid(), 'response', 'done' from moved returning id),
    g as (insert into floor_edge (from_id, to_id) select m.prompt_id, r.id from moved m, r),
    l as (insert into floor_ledger (job_id, run_ms) select id, 1 from moved),
    b as (update floor_entity e set revision = revision + 1 from moved m where e.id = m.prompt_id)
    insert into floor_event (job_id, kind) select id, 'job-succeeded' from moved`
  const work = async (onStart: () => void): Promise<boolean> => {
    const [job] = await claim(1)
    if (!job) return false
    onStart()
    await settle(job.id)
    return true
  }
  return {
    name: 'floor',
    async enqueue(id) {
      await one(id)
    },
    async enqueueMany(ids) {
      await sql`
        with e as (insert into floor_entity (id, kind, body) select unnest(${`{${ids.join()}}`}::uuid[]), 'prompt', 'cycle' returning id),
        j as (insert into floor_job (id, prompt_id) select id, id from e returning id)
        insert into floor_event (job_id, kind) select id, 'job-queued' from j`
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
        await tx`
          with e as (insert into floor_entity (id, kind, body) values (${id}, 'prompt', 'cycle')),
          j as (insert into floor_job (id, prompt_id) values (${id}, ${id}) returning id)
          insert into floor_event (job_id, kind) select id, 'job-queued' from j`
        await tx`select pg_notify('floor_jobs', '')`
      })
    },
    async clear() {
      await sql.unsafe('truncate floor_entity, floor_job, floor_event, floor_edge, floor_ledger')
    },
    close: () => sql.end({ timeout: 1 }),
  }
}

const tables = `
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
