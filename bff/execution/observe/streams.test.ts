import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { beatMs } from '../../../shared/change.ts'
import { encodeCursor } from '../../store/events/cursor.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { createWorker } from '../attempt/worker.ts'
import { cancelPrompt } from '../cancel-prompt.ts'
import { closeExecution, type Execution } from '../context.ts'
import { markSeen } from '../mark-seen.ts'
import { queueSpacingMs } from '../queue/queue-feed.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { interposedDatabase } from '../testing/interposed-database.ts'
import { readStream } from '../testing/stream-reader.ts'
import { testExecution } from '../testing/test-execution.ts'
import { turn, until } from '../testing/until.ts'
import { readPrompt } from './read-prompt.ts'
import { openStream, type StreamItem, setShown } from './streams.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

async function setup(database = db.database) {
  const test = testExecution(database)
  const me = await test.person()
  const client = new AbortController()
  return {
    ...test,
    me,
    client,
    open: async (since?: string, execution: Execution = test.execution) => {
      const at = since === undefined ? {} : { since }
      const stream = await openStream(execution, me, { ...at, signal: AbortSignal.any([client.signal]) })
      return { ...readStream(stream), streamId: stream.streamId }
    },
    submit: async (text = 'Ask') => (await submitPrompt(test.execution, me, { text })).prompt_id,
    claimed: async () => {
      const index = test.provider.calls.length
      await test.worker.claimOnce()
      return test.provider.call(index)
    },
    /** Nothing of a stream may outlive it. */
    expectNothingLeft() {
      expect(test.execution.changes.listeners).toBe(0)
      expect(test.execution.streams.size).toBe(0)
      expect(test.clock.armed).toBe(0)
    },
  }
}

const isState = (state: string) => (item: StreamItem) =>
  item.event === 'job.state_changed' && item.data.state === state
const isDelta = (item: StreamItem): item is StreamItem & { event: 'response.delta' } =>
  item.event === 'response.delta'

describe('a stream', () => {
  it('says hello at once, with where it stands, then each change and its cursor', async () => {
    const test = await setup()
    const reader = await test.open()
    const hello = await reader.seen((item) => item.event === 'hello')
    expect(hello).toMatchObject({
      data: { version: 'test', stream_id: reader.streamId },
      id: expect.any(String),
    })
    const id = await test.submit()
    const queued = await reader.seen(isState('queued'))
    expect(queued).toMatchObject({ data: { prompt_id: id }, id: expect.any(String) })
    const call = await test.claimed()
    await reader.seen(isState('running'))
    call.answer('Done')
    expect(await reader.seen(isState('succeeded'))).toMatchObject({ data: { answer_excerpt: 'Done' } })
    expect(reader.items[0]?.event).toBe('hello')
    test.client.abort()
    await reader.end
    await test.worker.idle()
    test.expectNothingLeft()
  })

  it('beats every 15 s with its newest cursor, and runs no statement meanwhile', async () => {
    const test = await setup()
    const reader = await test.open()
    await test.submit()
    const queued = await reader.seen(isState('queued'))
    test.clock.advance(1_000)
    test.clock.advance(queueSpacingMs)
    await reader.seen((item) => item.event === 'queue.changed' && item.data.waiting === 1)
    const statements = db.database.statementCount()
    for (let beat = 0; beat < 4; beat++) test.clock.advance(beatMs)
    await reader.seen((item) => item.event === 'beat')
    await turn()
    const beats = reader.items.filter((item) => item.event === 'beat')
    expect(beats).toHaveLength(4)
    expect(beats[0]).toMatchObject({ data: { cursor: queued.id } })
    expect(db.database.statementCount()).toBe(statements)
    test.client.abort()
    await reader.end
  })

  it('resumed from any of its ids ends with what the server holds', async () => {
    const test = await setup()
    const reader = await test.open()
    const ids = [await test.submit('one'), await test.submit('two'), await test.submit('three')]
    ;(await test.claimed()).answer('1')
    await reader.seen(isState('succeeded'))
    await cancelPrompt(test.execution, test.me, ids[1] ?? '')
    await reader.seen(isState('cancelled'))
    const truth = new Map<string, number>()
    for (const id of ids) truth.set(id, (await readPrompt(test.execution, test.me, id)).view.revision)
    for (const [index, item] of reader.items.entries()) {
      if (!item.id) continue
      const known = revisionsOf(reader.items.slice(0, index + 1))
      const later = await test.open(item.id)
      await until(() => {
        const merged = new Map([...known, ...newer(known, revisionsOf(later.items))])
        return ids.every((id) => merged.get(id) === truth.get(id))
      })
    }
    test.client.abort()
  })

  // R019
  it('replayed ten times from the start repeats nothing that a merge by revision would notice', async () => {
    const test = await setup()
    const start = await test.open()
    const first = await start.seen((item) => item.event === 'hello')
    const id = await test.submit()
    ;(await test.claimed()).answer('Done')
    await start.seen(isState('succeeded'))
    for (let reconnect = 0; reconnect < 10; reconnect++) {
      const again = await test.open(first.id)
      await again.seen(isState('succeeded'))
      expect(revisionsOf(again.items)).toEqual(revisionsOf(start.items))
      expect([...revisionsOf(again.items).keys()]).toEqual([id])
    }
    test.client.abort()
  })

  it('tells of what was seen, with the job', async () => {
    const test = await setup()
    const id = await test.submit()
    ;(await test.claimed()).answer('Done')
    await test.worker.idle()
    const reader = await test.open()
    const { view } = await readPrompt(test.execution, test.me, id)
    await markSeen(test.execution, test.me, [{ prompt_id: id, job_id: view.job_id }])
    const seen = await reader.seen((item) => item.event === 'prompt.seen')
    expect(seen.data).toEqual({ prompt_id: id, job_id: view.job_id })
    expect(reader.items.some(isState('succeeded'))).toBe(false)
    test.client.abort()
  })

  it('tells nobody of another’s prompts', async () => {
    const test = await setup()
    const stranger = await test.person()
    const reader = await test.open()
    await submitPrompt(test.execution, stranger, { text: 'Private' })
    const mine = await test.submit('Mine')
    await reader.seen(isState('queued'))
    expect([...revisionsOf(reader.items).keys()]).toEqual([mine])
    test.client.abort()
  })

  // R029
  it('that ends cancels nothing', async () => {
    const test = await setup()
    const reader = await test.open()
    const id = await test.submit()
    const call = await test.claimed()
    test.client.abort()
    await reader.end
    expect(call.options.signal.aborted).toBe(false)
    call.answer('Done anyway')
    await test.worker.idle()
    expect((await readPrompt(test.execution, test.me, id)).answer?.text).toBe('Done anyway')
  })

  it('starts where its hello says, whatever commits while it opens', async () => {
    const test = await setup()
    const { changes } = test.execution
    let meanwhile = ''
    const execution: Execution = {
      ...test.execution,
      changes: {
        ...changes,
        subscribe: async (owner, listener) => {
          meanwhile = await test.submit('Meanwhile')
          return changes.subscribe(owner, listener)
        },
      },
    }
    const reader = await test.open(undefined, execution)
    expect(await reader.seen(isState('queued'))).toMatchObject({ data: { prompt_id: meanwhile } })
    test.client.abort()
  })
})

describe('a position that cannot be resumed', () => {
  it('of another epoch is answered with a resync and the end', async () => {
    const test = await setup()
    const reader = await test.open(encodeCursor({ epoch: 'another', from: '5:5:' }))
    await reader.end
    expect(reader.items.map((item) => item.event)).toEqual(['hello', 'resync'])
    test.expectNothingLeft()
  })

  it('that is malformed is refused before anything is opened', async () => {
    const test = await setup()
    for (const since of ['x', '2026-99-99T00:00:00Z', ''])
      await expect(test.open(since)).rejects.toMatchObject({ code: 'malformed_cursor' })
    test.expectNothingLeft()
  })
})

describe('what ends a stream leaves nothing behind', () => {
  it('when the client was gone before it opened', async () => {
    const test = await setup()
    test.client.abort()
    const reader = await test.open()
    await reader.end
    test.expectNothingLeft()
  })

  it('when the client leaves while it catches up', async () => {
    const hooks = { leave: () => {} }
    const test = await setup(interposedDatabase(db.database, { before: () => hooks.leave() }))
    await test.submit()
    const call = await test.claimed()
    call.options.onDelta('so far')
    const since = new Date(test.clock.now().getTime() - 1_000).toISOString()
    for (let access = 1; access < 8; access++) {
      const client = new AbortController()
      let left = access
      hooks.leave = () => {
        left -= 1
        if (left === 0) client.abort()
      }
      const stream = await openStream(test.execution, test.me, { since, signal: client.signal })
      hooks.leave = () => {}
      client.abort()
      await readStream(stream).end
      call.options.onDelta('more')
      expect(test.execution.changes.listeners).toBe(0)
      expect(test.execution.streams.size).toBe(0)
    }
    call.answer('Done')
    await test.worker.idle()
    test.expectNothingLeft()
  })

  it('when the database fails while it catches up', async () => {
    let fail = false
    const database = interposedDatabase(db.database, {
      before: () => {
        if (fail) throw new Error('lost')
      },
    })
    const test = await setup(database)
    await test.submit()
    await (await test.open()).seen((item) => item.event === 'hello')
    test.client.abort()
    await turn()
    fail = true
    const signal = new AbortController().signal
    await expect(openStream(test.execution, test.me, { signal })).rejects.toThrow('lost')
    test.expectNothingLeft()
  })

  it('when the server closes', async () => {
    const test = await setup()
    const readers = [await test.open(), await test.open()]
    await closeExecution(test.execution)
    for (const reader of readers) await reader.end
    test.expectNothingLeft()
  })

  it('when its client is too slow: it is told to resync, and let go', async () => {
    const test = await setup()
    const stream = await openStream(test.execution, test.me, { signal: test.client.signal })
    await test.submit()
    const call = await test.claimed()
    setShown(test.execution, test.me, stream.streamId, [])
    for (let delta = 0; delta < 1_200; delta++) {
      call.options.onDelta('x')
      test.clock.advance(250)
    }
    const reader = readStream(stream)
    await reader.end
    expect(reader.items).toMatchObject([{ event: 'resync', data: { cursor: expect.any(String) } }])
    call.answer('Done')
    await test.worker.idle()
    test.expectNothingLeft()
  })

  it('when the beat is what a slow client’s queue cannot take', async () => {
    const test = await setup()
    const stream = await openStream(test.execution, test.me, { signal: test.client.signal })
    for (let beat = 0; beat < 1_010; beat++) test.clock.advance(beatMs)
    const reader = readStream(stream)
    await reader.end
    expect(reader.items.map((item) => item.event)).toEqual(['resync'])
    test.expectNothingLeft()
  })
})

describe('the text of running prompts', () => {
  it('comes whole first, then in contiguous pieces, four times a second, for what is shown', async () => {
    const test = await setup()
    const reader = await test.open()
    const id = await test.submit()
    const call = await test.claimed()
    call.options.onDelta('One ')
    test.clock.advance(250)
    const unseen = await reader.seen(isDelta)
    expect(unseen.data).toMatchObject({ prompt_id: id, text: '', whole: false, tokens: 1, seq: 0 })
    expect(unseen.id).toBeUndefined()
    setShown(test.execution, test.me, reader.streamId, [id])
    call.options.onDelta('two ')
    call.options.onDelta('three ')
    test.clock.advance(249)
    await turn()
    expect(reader.items.filter(isDelta)).toHaveLength(1)
    test.clock.advance(1)
    await until(() => reader.items.filter(isDelta).length === 2)
    for (const text of ['four ', 'five']) {
      call.options.onDelta(text)
      test.clock.advance(250)
    }
    await until(() => reader.items.filter(isDelta).length === 4)
    const deltas = reader.items.filter(isDelta).map((item) => item.data)
    expect(deltas.map(({ text, whole, seq }) => ({ text, whole, seq }))).toEqual([
      { text: '', whole: false, seq: 0 },
      { text: 'One two three ', whole: true, seq: 1 },
      { text: 'four ', whole: false, seq: 2 },
      { text: 'five', whole: false, seq: 3 },
    ])
    call.answer('One two three four five')
    await reader.seen(isState('succeeded'))
    test.client.abort()
  })

  it('that joined late or was away gets the draft so far again', async () => {
    const test = await setup()
    const id = await test.submit()
    const call = await test.claimed()
    call.options.onDelta('Before ')
    const reader = await test.open()
    setShown(test.execution, test.me, reader.streamId, [id])
    test.clock.advance(250)
    setShown(test.execution, test.me, reader.streamId, [])
    call.options.onDelta('during ')
    test.clock.advance(250)
    setShown(test.execution, test.me, reader.streamId, [id])
    test.clock.advance(250)
    await until(() => reader.items.filter(isDelta).length === 3)
    const deltas = reader.items.filter(isDelta).map(({ data }) => ({ text: data.text, whole: data.whole }))
    expect(deltas).toEqual([
      { text: 'Before ', whole: true },
      { text: '', whole: false },
      { text: 'Before during ', whole: true },
    ])
    test.client.abort()
    call.answer('Done')
    await test.worker.idle()
  })

  it('of a second run starts anew', async () => {
    const test = await setup()
    const id = await test.submit()
    const reader = await test.open()
    setShown(test.execution, test.me, reader.streamId, [id])
    const first = await test.claimed()
    first.options.onDelta('First')
    test.clock.advance(250)
    const drained = test.worker.drain(0)
    test.clock.advance(0)
    await drained
    const again = createWorker(test.execution, { workerId: 'again', concurrency: 1 })
    await again.claimOnce()
    const second = await test.provider.call(1)
    second.options.onDelta('Second')
    test.clock.advance(250)
    await until(() => reader.items.filter(isDelta).length === 2)
    const deltas = reader.items.filter(isDelta).map((item) => item.data)
    expect(deltas).toMatchObject([
      { run: 1, seq: 0, text: 'First', whole: true },
      { run: 2, seq: 0, text: 'Second', whole: true },
    ])
    test.client.abort()
    second.answer('Done')
    await again.idle()
    again.close()
  })

  it('is for its own person only', async () => {
    const test = await setup()
    const stranger = await test.person()
    const reader = await test.open()
    const asked = () => setShown(test.execution, stranger, reader.streamId, [uuidV7()])
    expect(asked).toThrow(expect.objectContaining({ code: 'not_found' }))
    test.client.abort()
    await reader.end
    const mine = () => setShown(test.execution, test.me, reader.streamId, [])
    expect(mine).toThrow(expect.objectContaining({ code: 'not_found' }))
  })
})

/** What a client would hold of the views: the highest revision of each prompt. */
function revisionsOf(items: readonly StreamItem[]): Map<string, number> {
  const known = new Map<string, number>()
  for (const item of items) {
    if (item.event !== 'job.state_changed') continue
    const { prompt_id, revision } = item.data
    known.set(prompt_id, Math.max(revision, known.get(prompt_id) ?? 0))
  }
  return known
}

function newer(known: Map<string, number>, later: Map<string, number>): [string, number][] {
  return [...later].filter(([id, revision]) => revision > (known.get(id) ?? 0))
}
