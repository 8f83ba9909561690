import * as z from 'zod/mini'
import { instant, uuid } from '../../shared/ids.ts'
import { errorKind, jobOutcome, jobState, priorityMax } from '../../shared/job.ts'
import { promptDetail } from '../../shared/observe.ts'
import { type SubmitRequest, submitOptions } from '../../shared/submit.ts'
import { promptText } from '../../shared/text.ts'

/**
 * What the admin socket takes and answers: the CLI beside a running server speaks it, the server parses with it.
 * Refusals are the same problem documents as on the public side (`shared/problem.ts`).
 *
 * | call | body or query | answer |
 * |---|---|---|
 * | `POST /login-link` | – | `LoginLinkAnswer` |
 * | `GET /jobs` | `jobsQuery` | `JobsAnswer`, newest first |
 * | `GET /jobs/:job_id` | – | `JobDetailsAnswer` |
 * | `POST /jobs/:job_id/cancel`, `/retry` | `actorBody` | `JobAnswer`; of a retry, the new job |
 * | `POST /reclaim` | – | `ReclaimAnswer` |
 * | `POST /worker/run-once` | `runOnceBody` | `RunOnceAnswer`, once what it claimed has settled |
 * | `GET /doctor` | – | `DoctorAnswer` |
 * | `POST /backup` | `backupBody` | `BackupAnswer` |
 * | `POST /archive` | `archiveBody` | `ArchiveAnswer` |
 * | `POST /ask` | `askBody` | `AskAnswer`, once the prompt has settled; leaving ends the waiting only |
 * | `POST /prompts/:id/delete`, `/threads/:id/delete` | `actorBody` | `{}` |
 *
 * `admin-queue-contract.ts` has what is read of the queue.
 */
export const jobRow = z.object({
  job_id: uuid,
  prompt_id: uuid,
  org_id: uuid,
  state: jobState,
  outcome: z.nullable(jobOutcome),
  attempt: z.number(),
  max_attempts: z.number(),
  run: z.number(),
  priority: z.number(),
  provider: z.nullable(z.string()),
  model: z.nullable(z.string()),
  worker_id: z.nullable(z.string()),
  error_kind: z.nullable(errorKind),
  error_message: z.nullable(z.string()),
  created_at: instant,
  started_at: z.nullable(instant),
  running_heartbeat_at: z.nullable(instant),
  finished_at: z.nullable(instant),
  available_at: instant,
  /** The opening words of the prompt; null where the prompt itself is gone. */
  prompt: z.nullable(z.string()),
})
export type JobAnswer = z.infer<typeof jobRow>

const row = z.record(z.string(), z.unknown())

export const loginLinkAnswer = z.object({ url: z.string(), expires_at: instant })
export const jobsAnswer = z.object({ jobs: z.array(jobRow) })
export const jobDetailsAnswer = z.extend(jobRow, {
  supersedes: z.nullable(uuid),
  blocked_by: z.nullable(uuid),
  hold_reason: z.nullable(z.string()),
  response_id: z.nullable(uuid),
  options: row,
  ledger: z.array(row),
  events: z.array(row),
})
export const reclaimAnswer = z.object({ requeued: z.array(uuid), failed: z.array(uuid) })
export const runOnceAnswer = z.object({ claimed: z.number() })
/** One thing that was looked at; `ok: null` where it could not be told. */
export const doctorCheck = z.object({ name: z.string(), ok: z.nullable(z.boolean()), says: z.string() })
export const doctorAnswer = z.object({ ok: z.boolean(), checks: z.array(doctorCheck) })
/** Of a dry run, only `before` and the number of jobs. */
export const archiveAnswer = z.object({
  before: instant,
  dry_run: z.boolean(),
  jobs: z.number(),
  ledger_rows: z.number(),
  events: z.number(),
  files: z.array(z.string()),
})
export const askAnswer = promptDetail
export const deleteAnswer = z.object({})
/** The file that was written, absolute, and its size. */
export const backupAnswer = z.object({ path: z.string(), bytes: z.number() })

export type LoginLinkAnswer = z.infer<typeof loginLinkAnswer>
export type JobsAnswer = z.infer<typeof jobsAnswer>
export type JobDetailsAnswer = z.infer<typeof jobDetailsAnswer>
export type ReclaimAnswer = z.infer<typeof reclaimAnswer>
export type RunOnceAnswer = z.infer<typeof runOnceAnswer>
export type DoctorAnswer = z.infer<typeof doctorAnswer>
export type BackupAnswer = z.infer<typeof backupAnswer>
export type ArchiveAnswer = z.infer<typeof archiveAnswer>
export type AskAnswer = z.infer<typeof askAnswer>

const digits = (least: number, most: number) =>
  z.pipe(
    z
      .string()
      .check(
        z.refine(
          (text) => /^\d{1,4}$/.test(text) && Number(text) >= least && Number(text) <= most,
          `must be a whole number from ${least} to ${most}`,
        ),
      ),
    z.transform(Number),
  )

export const jobsQuery = z.strictObject({
  state: z.optional(jobState),
  org: z.optional(uuid),
  since: z.optional(instant),
  limit: z.optional(digits(1, 500)),
})
export type JobsQuery = z.input<typeof jobsQuery>

/** Who acts, for the events: `operator` is what an absent body means. */
export const actorBody = z.strictObject({
  actor: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
})
export const runOnceBody = z.strictObject({
  batch_size: z.optional(z.int().check(z.minimum(1), z.maximum(1_000))),
  priority_ceiling: z.optional(z.int().check(z.minimum(0), z.maximum(priorityMax))),
})
export type RunOnceBody = z.infer<typeof runOnceBody>
/** Where to write the backup: absolute, because the server's folder is not the caller's. */
export const backupBody = z.strictObject({
  path: z.string().check(z.minLength(1), z.maxLength(4_096), z.startsWith('/', 'must be an absolute path')),
})
export type BackupBody = z.infer<typeof backupBody>
/** Jobs that had settled by `before`; without it, the server's own retention. */
export const archiveBody = z.strictObject({
  before: z.optional(instant),
  dry_run: z.optional(z.boolean()),
})
export type ArchiveBody = z.infer<typeof archiveBody>
/** Who asks chooses the id, and so knows it while waiting. */
export const askBody = z.strictObject({
  prompt_id: uuid,
  text: promptText,
  model: submitOptions.shape.model,
  priority: submitOptions.shape.priority,
})
export type AskBody = z.infer<typeof askBody>

export function submitOfAsk({ prompt_id, text, model, priority }: AskBody): SubmitRequest {
  const options = { ...(model !== undefined && { model }), ...(priority !== undefined && { priority }) }
  return { prompt_id, text, options }
}
