import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FieldColumns, layoutField } from './layout.ts'

const day = 86_400_000
const start = Date.UTC(2026, 2, 3, 12)
const utc = (nowMs: number) => ({ timeZone: 'UTC', nowMs })

type Row = { id: string; thread: number; parent?: string | undefined; at: number }

function columnsOf(rows: readonly Row[], threadOrder: readonly number[]): FieldColumns {
  const at = new Map(rows.map((row, index) => [row.id, index]))
  return {
    ids: rows.map((row) => row.id),
    threads: rows.map((row) => row.thread),
    parents: rows.map((row) => (row.parent === undefined ? -1 : (at.get(row.parent) ?? -1))),
    createdAt: rows.map((row) => row.at),
    threadOrder,
  }
}

function placesOf(rows: readonly Row[], threadOrder: readonly number[], nowMs: number, timeZone = 'UTC') {
  const layout = layoutField(columnsOf(rows, threadOrder), { timeZone, nowMs })
  const places = new Map(
    layout.ids.map((id, index) => {
      const lane = layout.lanes[layout.lane[index] ?? -1]
      const row = layout.row[index] ?? -1
      return [id, { column: layout.column[index] ?? -1, row, rowInLane: row - (lane?.top ?? 0) }]
    }),
  )
  return { layout, places }
}

/** Threads that grow as real ones do: every prompt continues an earlier one of its thread, or opens it. */
const fields = fc
  .array(
    fc.record({ thread: fc.nat(4), pick: fc.double({ min: 0, max: 1, noNaN: true }), gap: fc.nat(30) }),
    { minLength: 1, maxLength: 60 },
  )
  .map((steps) => {
    let at = start
    const rows: Row[] = []
    steps.forEach(({ thread, pick, gap }, index) => {
      at += gap * 3_600_000
      const earlier = rows.filter((row) => row.thread === thread)
      const parent = earlier[Math.min(earlier.length - 1, Math.floor(pick * earlier.length))]
      rows.push({ id: `p${String(index).padStart(3, '0')}`, thread, parent: parent?.id, at })
    })
    return { rows, end: at }
  })

describe('layoutField', () => {
  it('ranks the drops of a lane and day by time, and starts each day where the busiest lane lets it', () => {
    const { layout, places } = placesOf(
      [
        { id: 'a', thread: 0, at: start },
        { id: 'b', thread: 0, parent: 'a', at: start + 1 },
        { id: 'c', thread: 1, at: start + 2 },
        { id: 'd', thread: 1, parent: 'c', at: start + 7 * day },
        { id: 'e', thread: 0, parent: 'b', at: start + 7 * day + 5 },
      ],
      [0, 1],
      start + 7 * day,
    )
    expect(layout.bands.map(({ start: at, slots }) => [at, slots])).toEqual([
      [0, 2],
      [2, 1],
    ])
    expect(Object.fromEntries([...places].map(([id, { column, row }]) => [id, [column, row]]))).toEqual({
      a: [0, 0],
      b: [1, 0],
      c: [0, 1],
      d: [2, 1],
      e: [2, 0],
    })
  })

  it('keeps a band of no width for today while nothing stands there yet', () => {
    const { layout } = placesOf([{ id: 'a', thread: 0, at: start }], [0], start + 2 * day)
    expect(layout.bands.map((band) => band.slots)).toEqual([1, 0])
    expect(layout.width).toBe(1)
  })

  it('draws no band for an empty field', () => {
    expect(placesOf([], [], start).layout).toMatchObject({ bands: [], lanes: [], width: 0, height: 0 })
  })

  it('breaks a tie of time by id', () => {
    const { places } = placesOf(
      [
        { id: 'b', thread: 0, at: start },
        { id: 'a', thread: 0, at: start },
      ],
      [0],
      start,
    )
    expect(places.get('a')?.column).toBe(0)
    expect(places.get('b')?.column).toBe(1)
  })

  it('puts an unsent prompt at the end of its lane, today, whatever the clock of the browser says', () => {
    const { places } = placesOf(
      [
        { id: 'z', thread: 0, at: start },
        { id: 'a', thread: 0, parent: 'z', at: Number.POSITIVE_INFINITY },
      ],
      [0],
      start - 3 * day,
    )
    expect(places.get('a')).toEqual({ column: 1, row: 0, rowInLane: 0 })
  })

  it('orders lanes by the thread, then by first prompt, and leaves out threads without prompts', () => {
    const rows = [
      { id: 'a', thread: 2, at: start + 5 },
      { id: 'b', thread: 0, at: start + 9 },
      { id: 'c', thread: 3, at: start + 1 },
    ]
    expect(placesOf(rows, [7, 1, 7, 7], start).layout.lanes.map((lane) => lane.thread)).toEqual([3, 2, 0])
    expect(placesOf(rows, [1, 0, 3, 2], start).layout.lanes.map((lane) => lane.thread)).toEqual([0, 3, 2])
  })

  it('refuses columns that do not belong together', () => {
    expect(() => layoutField({ ...columnsOf([], []), createdAt: [1] }, utc(start))).toThrow(
      'differ in length',
    )
    expect(() => placesOf([{ id: 'a', thread: 4, at: start }], [0], start)).toThrow(
      'thread that is not there',
    )
    expect(() => layoutField(columnsOf([], []), { timeZone: 'Sea/Atlantis', nowMs: start })).toThrow(
      RangeError,
    )
  })

  it('does not depend on the order of its input', () => {
    fc.assert(
      fc.property(fields, fc.infiniteStream(fc.nat()), ({ rows, end }, keys) => {
        const shuffled = rows
          .map((row) => ({ row, key: keys.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ row }) => row)
        const expected = placesOf(rows, [0, 0, 0, 0, 0], end).places
        const found = placesOf(shuffled, [0, 0, 0, 0, 0], end).places
        for (const [id, place] of expected) expect(found.get(id)).toEqual(place)
      }),
    )
  })

  it('never moves an older drop sideways, nor to another row of its lane, when newer ones arrive', () => {
    fc.assert(
      fc.property(fields, fc.nat(), ({ rows, end }, cut) => {
        const known = rows.slice(0, 1 + (cut % rows.length))
        const before = placesOf(known, [0, 0, 0, 0, 0], known.at(-1)?.at ?? end).places
        const after = placesOf(rows, [0, 0, 0, 0, 0], end).places
        for (const [id, place] of before) {
          expect(after.get(id)?.column).toBe(place.column)
          expect(after.get(id)?.rowInLane).toBe(place.rowInLane)
        }
      }),
    )
  })

  it('gives every drop a place of its own, right of its parent', () => {
    fc.assert(
      fc.property(fields, ({ rows, end }) => {
        const { places, layout } = placesOf(rows, [0, 0, 0, 0, 0], end)
        expect(new Set([...places.values()].map(({ column, row }) => `${column} ${row}`)).size).toBe(
          rows.length,
        )
        for (const { id, parent } of rows) {
          if (parent !== undefined)
            expect(places.get(id)?.column).toBeGreaterThan(places.get(parent)?.column ?? Infinity)
        }
        for (const { column, row } of places.values()) {
          expect(column).toBeLessThan(layout.width)
          expect(row).toBeLessThan(layout.height)
        }
      }),
    )
  })

  it('adds midnight as a band of no width and moves nothing', () => {
    const rows = [
      { id: 'a', thread: 0, at: start },
      { id: 'b', thread: 0, parent: 'a', at: start + day },
    ]
    expect(placesOf(rows, [0], start + 2 * day).places).toEqual(placesOf(rows, [0], start + day).places)
  })

  it('grows about linearly: 10,000 prompts cost less than twenty times what 1,000 do', () => {
    // The best of several: what else the machine does can only add.
    const bestOf = (count: number) => {
      const rows = Array.from({ length: count }, (_, index) => ({
        id: `p${String(index).padStart(6, '0')}`,
        thread: index % 100,
        parent: index >= 100 ? `p${String(index - 100).padStart(6, '0')}` : undefined,
        at: start + Math.floor((index / count) * 180) * day,
      }))
      const columns = columnsOf(rows, new Array(100).fill(0))
      const times = Array.from({ length: 7 }, () => {
        const from = performance.now()
        layoutField(columns, utc(start + 180 * day))
        return performance.now() - from
      })
      return Math.min(...times)
    }
    bestOf(1_000)
    expect(bestOf(10_000)).toBeLessThan(20 * Math.max(0.5, bestOf(1_000)))
  })
})
