import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { storableText } from '../text.ts'

const line = (charsMax: number) => storableText(charsMax).check(z.regex(/^[^\r\n]*$/, 'must be one line'))

/** Where a provider's settings come from: `saved` wins over the environment, that over what was found on loopback. */
export const settingSource = z.enum(['saved', 'environment', 'found', 'built_in'])

/** Keys never come back: `has_key` says whether there is one. */
export const providerSettings = z.object({
  id: z.string(),
  label: z.string(),
  practice: z.boolean(),
  base_url: z.nullable(z.string()),
  model: z.nullable(z.string()),
  has_key: z.boolean(),
  source: settingSource,
})

export const personSettings = z.object({
  debug: z.boolean(),
  single_keys: z.boolean(),
  time_zone: z.nullable(z.string()),
})

export const settingsResponse = z.object({
  org: z.object({ provider: z.nullable(z.string()), providers: z.array(providerSettings) }),
  person: personSettings,
})
export type SettingsResponse = z.infer<typeof settingsResponse>

/** Only what is named changes; `null` removes what was saved. */
export const settingsPatch = z.strictObject({
  org: z.optional(
    z.strictObject({
      provider: z.optional(z.nullable(line(200))),
      providers: z.optional(
        z.array(
          z.strictObject({
            id: line(200),
            base_url: z.optional(z.nullable(line(2_000))),
            model: z.optional(z.nullable(line(200))),
            key: z.optional(z.nullable(line(2_000))),
          }),
        ),
      ),
    }),
  ),
  person: z.optional(
    z.strictObject({
      debug: z.optional(z.boolean()),
      single_keys: z.optional(z.boolean()),
      time_zone: z.optional(z.nullable(line(100))),
    }),
  ),
})
export type SettingsPatch = z.infer<typeof settingsPatch>

/** What to try instead of what is saved; nothing of it is kept. */
export const providerTestRequest = z.strictObject({
  base_url: z.optional(line(2_000)),
  model: z.optional(line(200)),
  key: z.optional(line(2_000)),
})

/** `says` is one plain sentence: what is wrong, or which model answered. */
export const providerTestResponse = z.object({
  ok: z.boolean(),
  says: z.string(),
  models: z.array(z.string()),
  took_ms: z.number(),
})

export const settingsEndpoints = {
  readSettings: endpoint({
    method: 'GET',
    path: '/api/v1/settings',
    summary: 'Settings of the org and of this person; keys never come back',
    responses: { 200: settingsResponse },
  }),
  changeSettings: endpoint({
    method: 'PATCH',
    path: '/api/v1/settings',
    summary: 'Change the named settings',
    body: settingsPatch,
    responses: { 200: settingsResponse },
  }),
  testProvider: endpoint({
    method: 'POST',
    path: '/api/v1/providers/{provider_id}/test',
    summary: 'Try a connection and say what is wrong with it',
    params: z.strictObject({ provider_id: line(200).check(z.minLength(1)) }),
    body: providerTestRequest,
    responses: { 200: providerTestResponse },
  }),
}
