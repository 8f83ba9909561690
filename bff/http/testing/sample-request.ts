import { v7 as uuidV7 } from 'uuid'
import { type Endpoint, urlOf } from '../../../shared/endpoint.ts'

/** Bodies that keep the contracts of those calls that need one, by the end of their path, the longest that fits. */
const bodies: Readonly<Record<string, (id: string) => unknown>> = {
  'POST /prompt': () => ({ text: 'Hi' }),
  'POST /bulk': () => ({ prompts: [{ text: 'Hi' }] }),
  'POST /actions': (id) => ({ action: 'cancel', prompt_ids: [id] }),
  'POST /seen': (id) => ({ prompts: [{ prompt_id: id, job_id: id }] }),
  'PUT /shown': () => ({ prompt_ids: [] }),
  'PATCH /prompts/{prompt_id}': () => ({ priority: 10 }),
  'PATCH /threads/{thread_id}': () => ({ title: 'A title' }),
  'POST /verdict': () => ({ verdict: 'confirmed' }),
  'POST /schedules': () => ({ name: 'Daily', cron: '0 8 * * *', time_zone: 'UTC', text: 'Hi' }),
  'PATCH /schedules/{schedule_id}': () => ({ paused: true }),
}

/** A request that fits the contract; every id that `ids` does not name is a new one. */
export function sampleRequest(
  endpoint: Endpoint,
  ids: Readonly<Record<string, string>> = {},
): [string, { method: string; body?: unknown }] {
  const names = Object.keys(endpoint.params?.shape ?? {})
  const params = Object.fromEntries(names.map((name) => [name, ids[name] ?? uuidV7()]))
  const query = endpoint.path.endsWith('/views') ? { ids: uuidV7() } : {}
  const call = `${endpoint.method} ${endpoint.path}`
  const body = Object.entries(bodies).find(([end]) => {
    const [method = '', path = ''] = end.split(' ')
    return call.startsWith(method) && call.endsWith(path)
  })?.[1]
  return [
    urlOf(endpoint, params, query),
    { method: endpoint.method, ...(body && { body: body(ids.prompt_id ?? uuidV7()) }) },
  ]
}
