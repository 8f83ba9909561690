import * as z from 'zod/mini'

/** Stable codes of refusals; the HTTP status of each is one table in `bff/http/problem-response.ts`. */
export const errorCodes = [
  'invalid_request',
  'malformed_cursor',
  'unsupported_media_type',
  'body_too_large',
  'unauthenticated',
  'forbidden_origin',
  'forbidden_host',
  'link_expired',
  'not_found',
  'method_not_allowed',
  'gone',
  'prompt_conflict',
  'state_conflict',
  'external_exists',
  'two_predecessors',
  'unsupported_option',
  'too_many_requests',
  'accounts_required',
  'data_dir_locked',
  'database_unavailable',
  'invalid_settings',
  'invalid_backup',
  'not_ready',
  'internal',
] as const
export const errorCode = z.enum(errorCodes)
export type ErrorCode = z.infer<typeof errorCode>

/** One thing that is wrong with a request: `field` is a path such as `options.priority`, `` for the body itself. */
export const fieldError = z.object({ field: z.string(), message: z.string() })
export type FieldError = z.infer<typeof fieldError>

/** RFC 9457 problem document with our stable `code`; `errors` names fields, `state` and `job_id` go with conflicts. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: errorCode,
  detail: z.string(),
  errors: z.optional(z.array(fieldError)),
  state: z.optional(z.string()),
  job_id: z.optional(z.string()),
})
export type Problem = z.infer<typeof problem>
