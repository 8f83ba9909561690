import * as z from 'zod/mini'

/** The six states of a job (DESIGN §5). `superseded` is never the state of a prompt's newest job. */
export const jobStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled', 'superseded'] as const
export const jobState = z.enum(jobStates)
export type JobState = z.infer<typeof jobState>

/** The terminal states a job can first reach; kept as `outcome` when it is superseded later. */
export const jobOutcomes = ['succeeded', 'failed', 'cancelled'] as const
export const jobOutcome = z.enum(jobOutcomes)
export type JobOutcome = z.infer<typeof jobOutcome>

/** Why an attempt did not succeed. `external` is a cluster job that ended badly. */
export const errorKinds = [
  'timeout',
  'rate_limit',
  'provider_5xx',
  'provider_4xx',
  'parse',
  'auth',
  'worker_crash',
  'stuck',
  'unknown',
  'external',
] as const
export const errorKind = z.enum(errorKinds)
export type ErrorKind = z.infer<typeof errorKind>

/** How long an execution may reasonably take. */
export const budgets = ['quick', 'medium', 'unknown', 'long_compute'] as const
export const budget = z.enum(budgets)
export type Budget = z.infer<typeof budget>

export const priorityMax = 100
export const priorityDefault = 50
export const maxAttemptsDefault = 3
export const maxAttemptsLimit = 20
