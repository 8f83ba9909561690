import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { cancelPrompt } from '../cancel-prompt.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { type AccessHooks, interposedDatabase } from '../testing/interposed-database.ts'
import { testExecution } from '../testing/test-execution.ts'
import { turn, until } from '../testing/until.ts'
import type { Change } from './fold-changes.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

async function setup(eventCoalesceMs = 5, hooks: AccessHooks = {}) {
  const test = testExecution(interposedDatabase(db.database, hooks), { eventCoalesceMs })
  const me = await test.person()
  const batches: Change[][] = []
  const submit = async () => (await submitPrompt(test.execution, me, { text: 'Ask' })).prompt_id
  const listen = () => test.execution.changes.subscribe(me, (changes) => batches.push(changes))
  const heard = () => batches.flat().map((change) => change.promptId)
  return { ...test, me, batches, submit, listen, heard }
}

describe('the change feed', () => {
  it('gathers what commits together into one reading', async () => {
    const test = await setup()
    const leave = await test.listen()
    const ids = [await test.submit(), await test.submit(), await test.submit()]
    const before = db.database.statementCount()
    test.clock.advance(5)
    await until(() => test.batches.length > 0)
    expect(test.heard()).toEqual(ids)
    expect(db.database.statementCount() - before).toBe(3)
    expect(test.batches).toHaveLength(1)
    leave()
  })

  it('folds the events of one prompt to one change, with its newest view', async () => {
    const test = await setup()
    const leave = await test.listen()
    const id = await test.submit()
    await cancelPrompt(test.execution, test.me, id)
    test.clock.advance(5)
    await until(() => test.batches.length > 0)
    expect(test.batches).toMatchObject([[{ promptId: id, view: { state: 'cancelled', revision: 2 } }]])
    expect(test.batches[0]?.[0]?.kinds).toEqual(new Set(['job-queued', 'job-cancelled']))
    leave()
  })

  it('runs no statement and arms no timer while nobody listens', async () => {
    const test = await setup()
    const leave = await test.listen()
    await test.submit()
    leave()
    expect(test.execution.changes.listeners).toBe(0)
    await test.submit()
    const before = db.database.statementCount()
    test.clock.advance(60_000)
    await turn()
    expect(db.database.statementCount()).toBe(before)
    expect(test.clock.armed).toBe(0)
    expect(test.batches).toEqual([])
  })

  it('starts at the present for who comes after a pause', async () => {
    const test = await setup()
    ;(await test.listen())()
    await test.submit()
    const leave = await test.listen()
    const id = await test.submit()
    test.clock.advance(5)
    await until(() => test.batches.length > 0)
    expect(test.heard()).toEqual([id])
    leave()
  })

  it('hears what commits while it reads', async () => {
    const hooks: AccessHooks = {}
    const test = await setup(5, hooks)
    const leave = await test.listen()
    const first = await test.submit()
    let late = ''
    hooks.after = async () => {
      delete hooks.after
      late = await test.submit()
    }
    test.clock.advance(5)
    await until(() => test.clock.armed > 0)
    test.clock.advance(5)
    await until(() => late !== '' && test.heard().includes(late))
    expect(new Set(test.heard())).toEqual(new Set([first, late]))
    leave()
  })

  it.each([1, 2, 3])('tries again when its statement %i fails, and loses nothing', async (failing) => {
    const hooks: AccessHooks = {}
    const test = await setup(5, hooks)
    const leave = await test.listen()
    const id = await test.submit()
    let accesses = 0
    hooks.before = () => {
      accesses += 1
      if (accesses === failing) throw new Error('lost')
    }
    test.clock.advance(5)
    await until(() => accesses === failing && test.clock.armed === 1)
    expect(test.batches).toEqual([])
    test.clock.advance(1_000)
    await until(() => test.batches.length > 0)
    expect(test.heard()).toEqual([id])
    leave()
  })

  it('hands each owner theirs alone', async () => {
    const test = await setup()
    const stranger = { orgId: test.me.orgId, personId: uuidV7() }
    const foreign: Change[] = []
    const leaves = [
      await test.listen(),
      await test.execution.changes.subscribe(stranger, (changes) => foreign.push(...changes)),
    ]
    const id = await test.submit()
    test.clock.advance(5)
    await until(() => test.batches.length > 0)
    expect(test.heard()).toEqual([id])
    expect(foreign).toEqual([])
    for (const leave of leaves) leave()
    for (const leave of leaves) leave()
    expect(test.execution.changes.listeners).toBe(0)
  })

  it('goes on for the others when one listener throws', async () => {
    const test = await setup()
    const leaves = [
      await test.execution.changes.subscribe(test.me, () => {
        throw new Error('a listener broke')
      }),
      await test.listen(),
    ]
    const id = await test.submit()
    test.clock.advance(5)
    await until(() => test.batches.length > 0)
    expect(test.heard()).toEqual([id])
    for (const leave of leaves) leave()
    await test.execution.changes.close()
    expect(test.clock.armed).toBe(0)
  })
})
