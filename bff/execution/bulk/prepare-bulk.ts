import { v5 as uuidV5 } from 'uuid'
import { bulkPriorityDefault } from '../../../shared/contracts/bulk.ts'
import { DomainError, invalidField } from '../../domain/errors.ts'
import type { Execution, Scope } from '../context.ts'
import type { PlaceField, PreparedSubmit } from '../submit/place-prompt.ts'
import { bulkDigest } from '../submit/request-digest.ts'
import { prepareSubmit } from '../submit-prompt.ts'
import { atLine, type BulkLine, lineName } from './bulk-line.ts'
import { orderLines } from './order-lines.ts'

/** Of the ids that a bulk request gives to itself and to lines without one; another would make old requests new. */
const namespace = '2f0b7c1a-58c4-5a5e-8f0e-6c1f4f0d7b21'

/** A bulk request with everything decided that needs no stored row. */
export interface PreparedBulk {
  batchId: string
  /** In the order of the request; the id that a line gave itself, and what it is or why it is refused. */
  lines: readonly PreparedLine[]
  /** Indexes of all lines, each after those it names. */
  order: readonly number[]
  /** The line that gave itself an id. */
  lineOf: ReadonlyMap<string, number>
}

export interface PreparedLine {
  givenId: string | null
  prepared: PreparedSubmit | DomainError
}

/**
 * The ids of the request and of lines without one come from who sends which lines, so that the same request again is
 * the same prompts again. Refused here: what a line is refused for by itself, an id that an earlier line has, a circle.
 */
export function prepareBulk(execution: Execution, scope: Scope, sent: readonly BulkLine[]): PreparedBulk {
  const seed = `${scope.orgId}:${scope.personId}:${bulkDigest(sent.map(({ raw }) => raw))}`
  const batchId = uuidV5(seed, namespace)
  const lineOf = new Map<string, number>()
  const lines = sent.map(({ raw, request }, index): PreparedLine => {
    const givenId = givenIdOf(raw)
    const earlier = givenId === null ? undefined : lineOf.get(givenId)
    if (givenId !== null && earlier === undefined) lineOf.set(givenId, index)
    return {
      givenId,
      prepared: orRefusal(index, () => {
        if (earlier !== undefined) throw invalidField('prompt_id', `is that of ${lineName(earlier)} already`)
        if (request instanceof DomainError) throw request
        const promptId = uuidV5(`${seed}:${index}`, namespace)
        return prepareSubmit(execution, scope, request, { promptId, priority: bulkPriorityDefault, batchId })
      }),
    }
  })
  const named = lines.map(({ prepared }) =>
    prepared instanceof DomainError ? [] : linesNamed(prepared, lineOf),
  )
  const groups = orderLines(named.map((each) => each.map(({ line }) => line)))
  for (const group of groups) {
    for (const index of group) {
      const back = named[index]?.find(({ line }) => group.includes(line))
      const line = lines[index]
      if (back && line) line.prepared = atLine(index, circle(back.field, index, group))
    }
  }
  return { batchId, lines, order: groups.flat(), lineOf }
}

/** What `work` gives, or why the line is refused. */
export function orRefusal<T>(index: number, work: () => T): T | DomainError {
  try {
    return work()
  } catch (error) {
    if (error instanceof DomainError) return atLine(index, error)
    throw error
  }
}

/** Also of a line that is refused, so that those that name it can be told. */
function givenIdOf(raw: unknown): string | null {
  if (typeof raw !== 'object' || raw === null || !('prompt_id' in raw)) return null
  return typeof raw.prompt_id === 'string' ? raw.prompt_id : null
}

function linesNamed(
  { parentId, rootId, afterId }: PreparedSubmit,
  lineOf: ReadonlyMap<string, number>,
): { field: PlaceField; line: number }[] {
  const names: [PlaceField, string | null][] = [
    ['parent_id', parentId],
    ['root_entity_id', rootId],
    ['options.after', afterId],
  ]
  return names.flatMap(([field, id]) => {
    const line = id === null ? undefined : lineOf.get(id)
    return line === undefined ? [] : [{ field, line }]
  })
}

function circle(field: PlaceField, index: number, group: readonly number[]): DomainError {
  const others = group.filter((line) => line !== index)
  if (others.length === 0) return invalidField(field, 'must not name the prompt itself')
  const shown = others.slice(0, 20).map(lineName).join(', ')
  return invalidField(field, `closes a circle with ${shown}${others.length > 20 ? ' and more' : ''}`)
}
