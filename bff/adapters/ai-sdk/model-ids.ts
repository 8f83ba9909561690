import { isRecord } from './reply-body.ts'

const idCharsMax = 200
const embedding = /(^|[/_-])(text-)?embed/i

/**
 * The ids in a list of models as OpenAI (`data[].id`) or Ollama (`models[].name`) writes it, in its order, null when
 * `value` is no such list. Models that only embed are left out.
 */
export function modelIds(value: unknown): readonly string[] | null {
  if (!isRecord(value)) return null
  const list = Array.isArray(value.data) ? value.data : value.models
  if (!Array.isArray(list)) return null
  const ids = list.map((item: unknown) => (isRecord(item) ? (item.id ?? item.name) : undefined))
  return ids.filter(isUsable)
}

function isUsable(id: unknown): id is string {
  return typeof id === 'string' && id !== '' && id.length <= idCharsMax && !embedding.test(id)
}
