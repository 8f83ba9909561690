import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { instant, uuid } from '../ids.ts'
import { pageQuery } from '../query-values.ts'
import { submitOptions } from '../submit.ts'
import { promptText, storableText } from '../text.ts'

/**
 * A recurring prompt: five fields of cron in an IANA time zone. `next_at` is null while it is paused. `thread_id` is the
 * thread that its runs continue: the one it was given, else the one that its first run started.
 */
export const schedule = z.object({
  id: uuid,
  name: z.string(),
  cron: z.string(),
  time_zone: z.string(),
  text: z.string(),
  options: submitOptions,
  thread_id: z.nullable(uuid),
  paused: z.boolean(),
  next_at: z.nullable(instant),
  last_at: z.nullable(instant),
  last_prompt_id: z.nullable(uuid),
  created_at: instant,
})
export type Schedule = z.infer<typeof schedule>

const name = storableText(200).check(z.minLength(1), z.regex(/^[^\r\n]*$/, 'must be one line'))
const timing = {
  cron: storableText(100).check(z.minLength(1)),
  time_zone: storableText(100).check(z.minLength(1)),
}

export const scheduleRequest = z.strictObject({
  name,
  ...timing,
  text: promptText,
  options: z.optional(submitOptions),
  thread_id: z.optional(uuid),
})
export const schedulePatch = z.strictObject({
  name: z.optional(name),
  cron: z.optional(timing.cron),
  time_zone: z.optional(timing.time_zone),
  text: z.optional(promptText),
  options: z.optional(submitOptions),
  paused: z.optional(z.boolean()),
})

const params = z.strictObject({ schedule_id: uuid })

export const scheduleEndpoints = {
  listSchedules: endpoint({
    method: 'GET',
    path: '/api/v1/schedules',
    summary: 'Recurring prompts, the next one first',
    query: pageQuery,
    responses: { 200: z.object({ schedules: z.array(schedule), next: z.nullable(z.string()) }) },
  }),
  makeSchedule: endpoint({
    method: 'POST',
    path: '/api/v1/schedules',
    summary: 'Make a recurring prompt',
    body: scheduleRequest,
    responses: { 201: schedule },
    refusals: ['gone', 'unsupported_option'],
  }),
  changeSchedule: endpoint({
    method: 'PATCH',
    path: '/api/v1/schedules/{schedule_id}',
    summary: 'Change, pause or resume a recurring prompt',
    params,
    body: schedulePatch,
    responses: { 200: schedule },
    refusals: ['unsupported_option'],
  }),
  removeSchedule: endpoint({
    method: 'DELETE',
    path: '/api/v1/schedules/{schedule_id}',
    summary: 'Remove a recurring prompt; prompts it made stay',
    params,
    responses: { 204: null },
  }),
}
