import { sql } from 'drizzle-orm'
import type { Database } from '../../bff/store/database/database.ts'

/** One change of a job's state as the database itself saw it. Times in ms of the machine's clock. */
export interface AuditedMove {
  seq: number
  job_id: string
  prompt_id: string
  run: number
  was: string
  state: string
  error_kind: string | null
  worker_id: string | null
  /** The last sign of life of the run that this ends. */
  heartbeat_ms: number | null
  at_ms: number
}

/**
 * A trigger that notes every change of state, beside the product's own events and in no table of its: what the
 * product claims of itself is compared with it. The heartbeat of a run that was taken back is nowhere else.
 */
export async function installAudit(database: Database): Promise<void> {
  await database.rows(sql`
    create table audit_move (
      seq bigserial primary key, job_id uuid not null, prompt_id uuid not null, run int not null, was text not null,
      state text not null, error_kind text, worker_id text, heartbeat_at timestamptz,
      at timestamptz not null default clock_timestamp())`)
  await database.rows(sql`
    create function audit_job() returns trigger language plpgsql as $$
    begin
      insert into audit_move (job_id, prompt_id, run, was, state, error_kind, worker_id, heartbeat_at)
      values (new.id, new.prompt_id, new.run, old.state, new.state, new.error_kind, new.worker_id,
              old.running_heartbeat_at);
      return null;
    end $$`)
  await database.rows(sql`
    create trigger audit_job after update on job for each row when (old.state is distinct from new.state)
    execute function audit_job()`)
}

export function readAudit(database: Database): Promise<AuditedMove[]> {
  return database.rows<AuditedMove>(sql`
    select seq, job_id, prompt_id, run, was, state, error_kind, worker_id,
      (extract(epoch from heartbeat_at) * 1000)::float8 as heartbeat_ms,
      (extract(epoch from at) * 1000)::float8 as at_ms
    from audit_move order by seq`)
}
