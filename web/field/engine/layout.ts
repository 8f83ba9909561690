import { branchRows } from './branch-rows.ts'
import { zoneDays } from './zone-day.ts'

/** Every prompt of the field in columns of equal length; index i is the same prompt in each. */
export type FieldColumns = {
  readonly ids: readonly string[]
  /** Index of the prompt's thread in `threadOrder`. */
  readonly threads: ArrayLike<number>
  /** Index of the prompt that this one continues, −1 for none. */
  readonly parents: ArrayLike<number>
  /** Epoch milliseconds; `Infinity` for an unsent prompt, which stands at the end of its lane, today. */
  readonly createdAt: ArrayLike<number>
  /** Per thread: lanes stand in this order, equal ones by their first prompt. */
  readonly threadOrder: ArrayLike<number>
}

/** One calendar day: `slots` columns from `start`. `day` counts days from 1970-01-01 in the zone. */
export type Band = { readonly day: number; readonly start: number; readonly slots: number }

/** One thread: `rows` rows from `top`; its prompts by index, in order of time. */
export type Lane = {
  readonly thread: number
  readonly top: number
  readonly rows: number
  readonly prompts: readonly number[]
}

/**
 * Where everything stands, in world units: whole columns and rows that no zoom level changes.
 * The arrays are indexed like the columns that were laid out.
 */
export type Layout = {
  readonly ids: readonly string[]
  readonly column: Int32Array
  readonly row: Int32Array
  /** Index into `lanes`. */
  readonly lane: Int32Array
  /** Index of the parent where it stands in the same lane, else −1. */
  readonly parent: Int32Array
  /** Oldest day first; the last is today, even if nothing stands there yet (then it has no slots). */
  readonly bands: readonly Band[]
  readonly lanes: readonly Lane[]
  /** Columns and rows in all. */
  readonly width: number
  readonly height: number
}

/**
 * Lays the field out: x is time, y is thread. Pure, and independent of the order of its input.
 *
 * A slot is a drop's rank by `createdAt`, then id, among the drops of its lane and day. A band is as wide as
 * its busiest lane; days without drops take no room. So a newer prompt never moves an older one sideways, nor
 * to another row of its lane: what a person has learnt about where things are stays true.
 *
 * @throws Error if the columns differ in length; RangeError for an unknown time zone
 */
export function layoutField(columns: FieldColumns, when: { timeZone: string; nowMs: number }): Layout {
  const count = columns.ids.length
  if (
    columns.threads.length !== count ||
    columns.parents.length !== count ||
    columns.createdAt.length !== count
  )
    throw new Error('the columns of the field differ in length')
  const dayOf = zoneDays(when.timeZone)
  const today = dayOf(when.nowMs)
  const order = timeOrder(columns)
  const byThread = groupByThread(columns, order)

  const column = new Int32Array(count)
  const row = new Int32Array(count)
  const lane = new Int32Array(count)
  const days = new Int32Array(count)
  const parent = sameThreadParents(columns)
  const slotsOfDay = new Map<number, number>()
  const lanes: Lane[] = []
  let top = 0
  for (const thread of laneOrder(columns, byThread)) {
    const prompts = byThread[thread] ?? []
    const slotOfDay = new Map<number, number>()
    let newestDay = today
    for (const index of prompts) {
      const createdAt = columns.createdAt[index] ?? 0
      const day = Number.isFinite(createdAt) ? dayOf(createdAt) : newestDay
      newestDay = Math.max(newestDay, day)
      const slot = slotOfDay.get(day) ?? 0
      slotOfDay.set(day, slot + 1)
      days[index] = day
      column[index] = slot
      lane[index] = lanes.length
    }
    for (const [day, slots] of slotOfDay) slotsOfDay.set(day, Math.max(slotsOfDay.get(day) ?? 0, slots))
    const rows = branchRows(prompts, parent, row)
    for (const index of prompts) row[index] = (row[index] ?? 0) + top
    lanes.push({ thread, top, rows, prompts })
    top += rows
  }

  const bands = count === 0 ? [] : cutBands(slotsOfDay, today)
  const startOfDay = new Map(bands.map((band) => [band.day, band.start]))
  for (let index = 0; index < count; index++)
    column[index] = (column[index] ?? 0) + (startOfDay.get(days[index] ?? 0) ?? 0)
  const last = bands.at(-1)
  const width = last ? last.start + last.slots : 0
  return { ids: columns.ids, column, row, lane, parent, bands, lanes, width, height: top }
}

function timeOrder({ ids, createdAt }: FieldColumns): number[] {
  const order = ids.map((_, index) => index)
  return order.sort((a, b) => {
    const timeA = createdAt[a] ?? 0
    const timeB = createdAt[b] ?? 0
    if (timeA !== timeB) return timeA < timeB ? -1 : 1
    return compareIds(ids, a, b)
  })
}

function compareIds(ids: readonly string[], a: number, b: number): number {
  const idA = ids[a] ?? ''
  const idB = ids[b] ?? ''
  return idA < idB ? -1 : idA > idB ? 1 : 0
}

function groupByThread(columns: FieldColumns, order: readonly number[]): number[][] {
  const byThread: number[][] = Array.from({ length: columns.threadOrder.length }, () => [])
  for (const index of order) {
    const prompts = byThread[columns.threads[index] ?? -1]
    if (!prompts) throw new Error('a prompt of the field names a thread that is not there')
    prompts.push(index)
  }
  return byThread
}

/** Threads that have prompts, top lane first. */
function laneOrder(columns: FieldColumns, byThread: readonly number[][]): number[] {
  const threads = byThread.flatMap((prompts, thread) => (prompts.length > 0 ? [thread] : []))
  const first = (thread: number) => byThread[thread]?.[0] ?? 0
  return threads.sort((a, b) => {
    const orderA = columns.threadOrder[a] ?? 0
    const orderB = columns.threadOrder[b] ?? 0
    if (orderA !== orderB) return orderA < orderB ? -1 : 1
    const timeA = columns.createdAt[first(a)] ?? 0
    const timeB = columns.createdAt[first(b)] ?? 0
    if (timeA !== timeB) return timeA < timeB ? -1 : 1
    return compareIds(columns.ids, first(a), first(b))
  })
}

function sameThreadParents({ parents, threads }: FieldColumns): Int32Array {
  return Int32Array.from(parents, (parent, index) =>
    parent >= 0 && threads[parent] === threads[index] ? parent : -1,
  )
}

function cutBands(slotsOfDay: Map<number, number>, today: number): Band[] {
  const days = new Map(slotsOfDay)
  const newest = Math.max(...days.keys())
  if (newest < today) days.set(today, 0)
  let start = 0
  return [...days]
    .sort(([a], [b]) => a - b)
    .map(([day, slots]) => {
      const band = { day, start, slots }
      start += slots
      return band
    })
}
