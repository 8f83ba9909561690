import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { type JobState, jobStates } from '../../../../shared/job.ts'
import { StatementError } from '../../database/statement-error.ts'
import { type JobFactory, jobFactory } from '../job-factory.ts'
import type { TestDatabase } from '../test-database.ts'

const soon = `timestamptz '2026-03-12T13:00:00Z'`
const someId = `uuid '00000000-0000-7000-8000-000000000000'`

/** An update of a sound job in `state` that no statement of ours would make, and the CHECK that refuses it. */
const wrongJobs: [state: JobState, update: string, constraint: string][] = [
  ['queued', `state = 'paused'`, 'job_finished'],
  ['succeeded', `outcome = 'superseded'`, 'job_outcome'],
  ['failed', `error_kind = 'gremlins'`, 'job_error_kind'],
  ['queued', `budget = 'for ever'`, 'job_budget'],
  ['queued', 'priority = 101', 'job_priority'],
  ['queued', 'priority = -1', 'job_priority'],
  ['queued', 'attempt = 0', 'job_attempt'],
  ['queued', 'attempt = 4', 'job_attempt'],
  ['running', 'max_attempts = 0', 'job_attempt'],
  ['queued', 'run = -1', 'job_run'],
  ['queued', 'crashes = -1', 'job_run'],
  ['queued', `finished_at = ${soon}`, 'job_finished'],
  ['running', `finished_at = ${soon}`, 'job_finished'],
  ['cancelled', 'finished_at = null, outcome = null', 'job_finished'],
  ['superseded', 'finished_at = null, outcome = null, response_id = null', 'job_finished'],
  ['cancelled', 'outcome = null', 'job_outcome_state'],
  ['running', `outcome = 'cancelled'`, 'job_outcome_state'],
  ['cancelled', `outcome = 'failed', error_kind = 'timeout'`, 'job_outcome_kept'],
  ['running', 'worker_claim = null', 'job_claim'],
  ['queued', `worker_claim = 'token'`, 'job_claim'],
  ['succeeded', `worker_claim = 'token'`, 'job_claim'],
  ['running', 'started_at = null', 'job_running'],
  ['running', 'run = 0', 'job_running'],
  ['running', 'running_heartbeat_at = null', 'job_heartbeat'],
  ['succeeded', 'response_id = null', 'job_response'],
  ['superseded', 'response_id = null', 'job_response'],
  ['cancelled', 'response_id = prompt_id', 'job_response'],
  ['failed', 'error_kind = null', 'job_failed'],
  ['succeeded', `error_kind = 'timeout'`, 'job_succeeded'],
  ['queued', `hold_reason = 'failed'`, 'job_hold'],
  ['queued', `blocked_by = prompt_id, hold_reason = 'whim'`, 'job_hold'],
  ['queued', 'permit = 0', 'job_permit'],
  ['queued', `blocked_by = ${someId}`, 'job_blocked_by_entity_id_fk'],
  ['queued', `prompt_id = ${someId}`, 'job_prompt_id_entity_id_fk'],
]

const owner = `${someId}, ${someId}`
const wrongRows: [insert: string, constraint: string][] = [
  [
    `entity (id, kind, org_id, created_by, correlation_id, truth_class, body, created_at, updated_at)
    values (gen_random_uuid(), 'rumour', ${owner}, ${someId}, 'asserted', '', ${soon}, ${soon})`,
    'entity_kind',
  ],
  [
    `entity (id, kind, org_id, created_by, correlation_id, truth_class, body, created_at, updated_at)
    values (gen_random_uuid(), 'prompt', ${owner}, ${someId}, 'believed', '', ${soon}, ${soon})`,
    'entity_truth_class',
  ],
  [
    `entity (id, kind, org_id, created_by, correlation_id, truth_class, state_class, body, created_at, updated_at)
    values (gen_random_uuid(), 'prompt', ${owner}, ${someId}, 'asserted', 'lost', '', ${soon}, ${soon})`,
    'entity_state_class',
  ],
  [
    `entity (id, kind, org_id, created_by, correlation_id, truth_class, verdict, body, created_at, updated_at)
    values (gen_random_uuid(), 'prompt', ${owner}, ${someId}, 'asserted', 'confirmed', '', ${soon}, ${soon})`,
    'entity_verdict_at',
  ],
  [
    `entity (id, kind, org_id, created_by, correlation_id, truth_class, body, revision, created_at, updated_at)
    values (gen_random_uuid(), 'prompt', ${owner}, ${someId}, 'asserted', '', 0, ${soon}, ${soon})`,
    'entity_revision',
  ],
  [
    `edge (from_id, to_id, kind, created_at) select id, id, 'continues', ${soon} from entity limit 1`,
    'edge_no_loop',
  ],
  [
    `edge (from_id, to_id, kind, created_at) select id, ${someId}, 'likes', ${soon} from entity limit 1`,
    'edge_kind',
  ],
  [
    `edge (from_id, to_id, kind, created_at) select id, ${someId}, 'grounds', ${soon} from entity limit 1`,
    'edge_to_id_entity_id_fk',
  ],
  [`event (org_id, owner, kind, at) values (${owner}, 'happened', ${soon})`, 'event_kind'],
  [
    `ledger (job_id, run, attempt, counted, at) select id, 0, 1, true, ${soon} from job limit 1`,
    'ledger_run',
  ],
  [
    `ledger (job_id, run, attempt, counted, error_kind, at) select id, 1, 1, true, 'bad', ${soon} from job limit 1`,
    'ledger_error_kind',
  ],
  [`membership (org_id, person_id, role) select o.id, p.id, 'king' from org o, person p`, 'membership_role'],
  [
    `batch (id, org_id, created_by, total, created_at) values (${someId}, ${owner}, -1, ${soon})`,
    'batch_total',
  ],
]

/** The schema refuses by itself what `violations` calls wrong: a hand-written update cannot break an invariant. */
export function checksConformance(open: () => TestDatabase): void {
  describe('the schema refuses', () => {
    it.each(jobStates)('a %s job that breaks an invariant, by its name', async (state) => {
      const jobs = jobFactory(open().database)
      const jobId = await jobIn(jobs, state)
      const before = await jobs.everything()
      const wrong = wrongJobs.filter(([of]) => of === state)
      const refusals: [string, string | null][] = []
      for (const [, update] of wrong) {
        const statement = sql`update job set ${sql.raw(update)} where id = ${jobId}::uuid`
        refusals.push([update, await refusalOf(jobs, statement)])
      }
      expect(refusals).toEqual(wrong.map(([, update, constraint]) => [update, constraint]))
      expect(await jobs.everything()).toEqual(before)
    })

    it('rows that are wrong in themselves, by name', async () => {
      const jobs = jobFactory(open().database)
      await jobs.submit()
      await jobs.database.rows(sql.raw(`insert into org values (${someId}, 'Org', ${soon})`))
      await jobs.database.rows(sql.raw(`insert into person values (${someId}, 'P', null, null, ${soon})`))
      const refusals: [string, string | null][] = []
      for (const [insert, constraint] of wrongRows) {
        refusals.push([constraint, await refusalOf(jobs, sql.raw(`insert into ${insert}`))])
      }
      expect(refusals).toEqual(wrongRows.map(([, constraint]) => [constraint, constraint]))
    })

    it('a second current job of a prompt, and a second job that supersedes the same one', async () => {
      const jobs = jobFactory(open().database)
      const { promptId, jobId } = await jobs.submit()
      const copy = (state: string, supersedes: string) => sql`
        insert into job (id, prompt_id, org_id, created_by, state, outcome, finished_at, supersedes, available_at,
          claim_rank, created_at, updated_at)
        select gen_random_uuid(), prompt_id, org_id, created_by, ${sql.raw(state)}, ${sql.raw(supersedes)}::uuid,
          available_at, claim_rank, created_at, updated_at from job where id = ${jobId}::uuid`
      await expect(jobs.database.rows(copy(`'queued', null, null`, 'null'))).rejects.toMatchObject({
        constraint: 'job_current',
      })
      await jobs.cancel(jobId)
      await jobs.retry(promptId)
      const again = copy(`'superseded', 'cancelled', finished_at`, `'${jobId}'`)
      await expect(jobs.database.rows(again)).rejects.toMatchObject({ constraint: 'job_supersedes' })
    })

    it('none of the states that a job can be in', async () => {
      const jobs = jobFactory(open().database)
      for (const state of jobStates) {
        const jobId = await jobIn(jobs, state)
        await jobs.database.rows(sql`update job set updated_at = updated_at where id = ${jobId}::uuid`)
        expect((await jobs.facts(jobId)).state).toBe(state)
        await jobs.claimSome()
      }
    })
  })
}

/** The constraint that refuses `statement`. */
async function refusalOf(jobs: JobFactory, statement: SQL): Promise<string | null> {
  try {
    await jobs.database.rows(statement)
  } catch (error) {
    if (error instanceof StatementError) return error.constraint
    throw error
  }
  return 'accepted'
}

async function jobIn(jobs: JobFactory, state: JobState): Promise<string> {
  const { promptId, jobId } = await jobs.submit()
  if (state === 'queued') return jobId
  const claim = await jobs.claim()
  if (state === 'succeeded' || state === 'superseded') await jobs.succeed(claim)
  if (state === 'failed') await jobs.fail(claim)
  if (state === 'cancelled') await jobs.cancel(jobId)
  if (state === 'superseded') await jobs.retry(promptId)
  return jobId
}
