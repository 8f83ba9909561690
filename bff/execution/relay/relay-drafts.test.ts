import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../domain/testing/seeded-random.ts'
import { createLiveDrafts, type LiveDrafts } from '../attempt/live-drafts.ts'
import { type Air, createAir, type Station } from '../testing/air.ts'
import { testClock } from '../testing/test-clock.ts'
import { turn } from '../testing/until.ts'
import { relayDrafts } from './relay-drafts.ts'

const leaseMs = 300_000
const start = { promptId: 'p', jobId: 'j', run: 1, attempt: 1, orgId: 'o', owner: 'me' }
const silent = { info: () => {}, warn: () => {}, error: () => {} }

function setup(air: Air = createAir()) {
  const clock = testClock()
  const process = (name: string) => {
    const station: Station = air.station(name)
    const liveDrafts: LiveDrafts = createLiveDrafts()
    const relay = relayDrafts({ broadcast: station, clock, log: silent, liveDrafts, leaseMs })
    return { station, liveDrafts, relay, text: () => liveDrafts.get('j')?.text }
  }
  /** Lets time pass in small steps, and what is due in each be done. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 50) {
      clock.advance(Math.min(50, ms - passed))
      for (let turns = 0; turns < 3; turns += 1) await turn()
    }
  }
  return { air, clock, process, pass }
}

const watch = (drafts: LiveDrafts) => drafts.subscribe(() => {})

describe('text as it arrives', () => {
  it('is shown by a process that watches, and ends with the attempt', async () => {
    const { process, pass } = setup()
    const [worker, server] = [process('worker'), process('server')]
    watch(server.liveDrafts)
    const draft = worker.liveDrafts.begin(start)
    draft.append('Hello')
    await pass(600)
    expect(server.text()).toBe('Hello')
    draft.append(', world')
    await pass(300)
    expect(server.text()).toBe('Hello, world')
    expect(server.liveDrafts.of({ orgId: 'o', personId: 'me' })).toMatchObject([{ remote: true, run: 1 }])
    draft.end()
    await pass(300)
    expect(server.text()).toBeUndefined()
  })

  it('is not sent while nobody watches, and whole to whoever comes later', async () => {
    const { air, process, pass } = setup()
    const [worker, server] = [process('worker'), process('server')]
    const draft = worker.liveDrafts.begin(start)
    for (let second = 0; second < 60; second += 1) {
      draft.append('more ')
      await pass(1_000)
    }
    expect(air.said.map(({ message }) => message)).toEqual(['{"kind":"who-watches"}'])
    const leave = watch(server.liveDrafts)
    await pass(300)
    expect(server.text()).toBe('more '.repeat(60))
    leave()
    await pass(50)
    const sent = worker.station.statements
    draft.append('unheard')
    await pass(60_000)
    expect([worker.station.statements, server.text()]).toEqual([sent, undefined])
  })

  it('takes four statements a second at most, for all drafts together', async () => {
    const { process, pass } = setup()
    const [worker, server] = [process('worker'), process('server')]
    watch(server.liveDrafts)
    const drafts = ['a', 'b', 'c'].map((jobId) => worker.liveDrafts.begin({ ...start, jobId }))
    for (const draft of drafts) draft.append('x')
    await pass(1_000)
    const before = worker.station.statements
    for (let step = 0; step < 100; step += 1) {
      for (const draft of drafts) draft.append('x')
      await pass(50)
    }
    expect(worker.station.statements - before).toBeLessThanOrEqual(21)
    expect(worker.station.statements - before).toBeGreaterThanOrEqual(15)
    await pass(300)
    expect(server.liveDrafts.get('b')?.text).toBe('x'.repeat(101))
  })

  it('arms nothing and says nothing once nothing runs', async () => {
    const { air, clock, process, pass } = setup()
    const [worker, server] = [process('worker'), process('server')]
    watch(server.liveDrafts)
    const draft = worker.liveDrafts.begin(start)
    draft.append('Hello')
    await pass(600)
    draft.end()
    await pass(300)
    const said = air.said.length
    expect(clock.armed).toBe(0)
    await pass(5_000)
    expect(air.said.length).toBe(said)
  })

  it('goes to nobody who has gone without a word', async () => {
    const { process, pass } = setup()
    const [worker, server] = [process('worker'), process('server')]
    watch(server.liveDrafts)
    const draft = worker.liveDrafts.begin(start)
    draft.append('x')
    await pass(600)
    server.station.cut()
    server.station.fail(true)
    for (let second = 0; second < 100; second += 1) {
      draft.append('x')
      await pass(1_000)
    }
    const sent = worker.station.statements
    draft.append('x')
    await pass(60_000)
    expect(worker.station.statements).toBe(sent)
  })

  it('is begun anew by a later run, and word of an earlier run is not heard', async () => {
    const { process, pass } = setup()
    const [one, two, server] = [process('one'), process('two'), process('server')]
    watch(server.liveDrafts)
    const old = one.liveDrafts.begin(start)
    old.append('old')
    await pass(600)
    const fresh = two.liveDrafts.begin({ ...start, run: 2, attempt: 2 })
    fresh.append('fresh')
    await pass(600)
    expect(server.text()).toBe('fresh')
    old.append(' and older')
    old.end()
    await pass(600)
    expect(server.liveDrafts.get('j')).toMatchObject({ text: 'fresh', run: 2 })
  })

  it('is forgotten a lease after its holder was last heard of', async () => {
    const { clock, process, pass } = setup()
    const [worker, server] = [process('worker'), process('server')]
    watch(server.liveDrafts)
    worker.liveDrafts.begin(start).append('Hello')
    await pass(600)
    expect(server.text()).toBe('Hello')
    clock.advance(leaseMs)
    expect(server.text()).toBeUndefined()
    expect(clock.armed).toBe(0)
  })

  it('an attempt that ended unheard is forgotten soon after others are heard again', async () => {
    const { process, pass } = setup()
    const [worker, server] = [process('worker'), process('server')]
    watch(server.liveDrafts)
    const draft = worker.liveDrafts.begin(start)
    draft.append('Hello')
    await pass(600)
    server.station.cut()
    draft.end()
    await pass(600)
    server.station.reconnect()
    await pass(11_000)
    expect(server.text()).toBeUndefined()
  })

  it.each([1, 2, 3, 4, 5])(
    'never shows a gap or half a character, whatever is lost on the way (%i)',
    async (seed) => {
      const random = seededRandom(seed)
      const pick = <T>(items: readonly T[]): T => {
        const item = items[Math.floor(random() * items.length)]
        if (item === undefined) throw new Error('nothing to pick from')
        return item
      }
      // Small messages, so that even short texts need many.
      const { process, pass } = setup(createAir(220))
      const [worker, server, other] = [process('worker'), process('server'), process('other')]
      let [whole, longest] = ['', 0]
      const check = () => {
        const shown = server.text() ?? ''
        expect(whole.startsWith(shown)).toBe(true)
        expect(shown.isWellFormed()).toBe(true)
        longest = Math.max(longest, shown.length)
      }
      server.liveDrafts.subscribe(check)
      const draft = worker.liveDrafts.begin(start)
      const pieces = [
        'a',
        'ü',
        '€',
        '😀',
        '👩‍🚀',
        '"\\',
        '\n',
        'word '.repeat(30),
        '😀'.repeat(70),
        '\ud83d',
        '\ude00',
      ]
      let half = false
      for (let step = 0; step < 250; step += 1) {
        const piece: string = half ? '\ude00' : pick(pieces.filter((text) => text !== '\ude00'))
        half = piece === '\ud83d'
        whole += piece
        draft.append(piece)
        if (random() < 0.1) pick([worker, server]).station.cut()
        if (random() < 0.2) pick([worker, server]).station.reconnect()
        if (random() < 0.1) worker.station.fail(random() < 0.5)
        if (random() < 0.05) watch(other.liveDrafts)()
        await pass(50)
      }
      if (half) {
        whole += '\ude00'
        draft.append('\ude00')
      }
      worker.station.fail(false)
      await pass(600)
      // Cut once more with something under way, and back in either order.
      for (const { station } of [worker, server]) station.cut()
      whole += 'last'
      draft.append('last')
      await pass(600)
      const order = random() < 0.5 ? [worker, server] : [server, worker]
      for (const { station } of order) {
        station.reconnect()
        await pass(600)
      }
      await pass(3_000)
      expect(server.text()).toBe(whole)
      expect(longest).toBe(whole.length)
    },
  )
})
