import * as z from 'zod/mini'
import { instant, uuid } from './ids.ts'

/** Why a queued job does not run yet: a closed set (DESIGN §16). A view holds only what the job's own row says. */
export const waitReason = z.discriminatedUnion('code', [
  z.object({ code: z.literal('in_line') }),
  z.object({ code: z.literal('scheduled'), at: instant }),
  z.object({ code: z.literal('backoff'), at: instant }),
  z.object({ code: z.literal('rate_limit'), provider: z.string(), until: instant }),
  z.object({ code: z.literal('after'), prompt_id: uuid }),
  z.object({ code: z.literal('held'), prompt_id: uuid, cause: z.enum(['failed', 'cancelled']) }),
  z.object({ code: z.literal('org_limit') }),
  z.object({ code: z.literal('scheduler'), backend: z.string(), reason: z.string() }),
])
export type WaitReason = z.infer<typeof waitReason>
