import { describe, expect, test } from 'vitest'
import { createLayoutIndex } from './layout-index.ts'
import { idOf, makeView } from './testing/make-view.ts'
import { fieldOf } from './testing/scripted-server.ts'

const thread = idOf(0x900)
const at = (number: number, createdAt: number, parentId: string | null = null) => ({
  id: idOf(number),
  threadId: thread,
  parentId,
  createdAt,
})

describe('order', () => {
  // R043
  test('is creation, then id, whatever the order of arrival', () => {
    const index = createLayoutIndex()
    for (const placing of [at(3, 20), at(2, 10), at(4, 10), at(1, 30)]) index.place(placing)
    expect(index.snapshot().ids).toEqual([idOf(2), idOf(4), idOf(3), idOf(1)])
  })

  test('what the server has not placed yet stands at the end, and takes its place when it has', () => {
    const index = createLayoutIndex()
    index.place(at(1, Number.POSITIVE_INFINITY))
    index.place(at(2, 20))
    expect(index.snapshot().ids).toEqual([idOf(2), idOf(1)])
    index.place(at(1, 10))
    expect(index.snapshot().ids).toEqual([idOf(1), idOf(2)])
  })

  test('a field of columns comes out as it went in, with parents and threads by index', () => {
    const first = makeView(1)
    const second = makeView(2, { parent_id: first.prompt_id, correlation_id: first.correlation_id })
    const other = makeView(3)
    const index = createLayoutIndex()
    index.merge(fieldOf([other, second, first]))
    expect(index.snapshot()).toMatchObject({
      ids: [idOf(1), idOf(2), idOf(3)],
      threads: [0, 0, 1],
      parents: [-1, 0, -1],
      threadIds: [first.correlation_id, other.correlation_id],
    })
    expect(index.idsOfThread(first.correlation_id)).toEqual([idOf(1), idOf(2)])
  })
})

describe('the epoch', () => {
  test('changes when a prompt comes, goes or moves, and at nothing else', () => {
    const index = createLayoutIndex()
    const epochs: number[] = []
    const note = () => epochs.push(index.snapshot().epoch)
    index.place(at(1, 10))
    note()
    index.place(at(1, 10))
    index.setThread({ id: thread, title: 'renamed' })
    index.remove(idOf(7))
    note()
    index.remove(idOf(1))
    note()
    expect(epochs[1]).toBe(epochs[0])
    expect(epochs[2]).toBeGreaterThan(epochs[1] ?? 0)
  })

  test('the snapshot is the same object until then', () => {
    const index = createLayoutIndex()
    index.place(at(1, 10))
    const before = index.snapshot()
    index.setThread({ id: thread, title: 'renamed' })
    expect(index.snapshot()).toBe(before)
    index.place(at(2, 20))
    expect(index.snapshot()).not.toBe(before)
  })

  test('listeners are told once for many changes; those of titles of titles too', () => {
    const index = createLayoutIndex()
    let told = 0
    let toldTitles = 0
    index.subscribe(() => told++)
    index.subscribeTitles(() => toldTitles++)
    for (let number = 1; number <= 50; number++) index.place(at(number, number))
    index.flush()
    expect([told, toldTitles]).toEqual([1, 1])
    index.setThread({ id: thread, title: 'renamed' })
    index.flush()
    index.flush()
    expect([told, toldTitles]).toEqual([1, 2])
    expect(index.thread(thread)?.title).toBe('renamed')
  })
})

test('a restart keeps what it is told to, and nothing else that the field does not have', () => {
  const index = createLayoutIndex()
  for (const number of [1, 2, 3]) index.place(at(number, number))
  index.restart(fieldOf([makeView(4)]), new Set([idOf(2)]))
  expect(index.snapshot().ids).toEqual([idOf(2), idOf(4)])
})

test('10,000 prompts are filled and ordered within a frame or few', () => {
  const index = createLayoutIndex()
  const views = Array.from({ length: 10_000 }, (_, number) =>
    makeView(number, { correlation_id: idOf(0x90000 + (number % 100)) }),
  )
  const field = fieldOf(views)
  const startMs = performance.now()
  index.merge(field)
  expect(index.snapshot().ids).toHaveLength(10_000)
  // Some tens of milliseconds; the bound only catches a cost that grows with the square.
  expect(performance.now() - startMs).toBeLessThan(2_000)
})
