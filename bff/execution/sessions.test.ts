import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { cancelPrompt } from './cancel-prompt.ts'
import { markSeen } from './mark-seen.ts'
import { readPrompt, readThread } from './observe/read-prompt.ts'
import { retryPrompt } from './retry-prompt.ts'
import {
  describeSession,
  endSession,
  ensureOwner,
  findSession,
  makeLoginLink,
  useLoginLink,
} from './sessions.ts'
import { submitPrompt } from './submit-prompt.ts'
import { testExecution } from './testing/test-execution.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

describe('a login link', () => {
  it('made on a fresh start is the owner’s, and becomes a session of 30 days', async () => {
    const { execution, clock } = testExecution(db.database)
    const { token, expiresAt } = await makeLoginLink(execution)
    expect(expiresAt).toEqual(new Date(clock.now().getTime() + 15 * minuteMs))
    const { sessionToken } = await useLoginLink(execution, token)
    const signedIn = await findSession(execution, sessionToken)
    expect(signedIn).toMatchObject({ ...(await ensureOwner(execution)), role: 'owner' })
    clock.advance(30 * dayMs - 1)
    expect(await findSession(execution, sessionToken)).not.toBeNull()
    clock.advance(1)
    expect(await findSession(execution, sessionToken)).toBeNull()
  })

  it('lets in once, of many who try at once too', async () => {
    const { execution } = testExecution(db.database)
    const { token } = await makeLoginLink(execution)
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => useLoginLink(execution, token)))
    expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
    await expect(useLoginLink(execution, token)).rejects.toMatchObject({ code: 'link_expired' })
  })

  it('is over after 15 minutes; one that never was is answered alike', async () => {
    const { execution, clock } = testExecution(db.database)
    const { token } = await makeLoginLink(execution)
    clock.advance(15 * minuteMs)
    const refusals = [token, 'never made', ''].map((one) =>
      useLoginLink(execution, one).catch((error) => error),
    )
    const [late, ...never] = await Promise.all(refusals)
    expect(late).toMatchObject({ code: 'link_expired' })
    for (const refusal of never) expect(refusal).toEqual(late)
  })

  it('and its session are kept as digests only', async () => {
    const { execution } = testExecution(db.database)
    const { token } = await makeLoginLink(execution)
    const { sessionToken } = await useLoginLink(execution, token)
    const stored = JSON.stringify(
      await db.database.rows(sql`
      select (select jsonb_agg(l) from login_link l) as links, (select jsonb_agg(s) from session s) as sessions`),
    )
    expect(stored).not.toContain(token)
    expect(stored).not.toContain(sessionToken)
  })
})

describe('a session', () => {
  it('that was ended is nobody’s; others of the same person live on', async () => {
    const { execution } = testExecution(db.database)
    const signIn = async () => {
      const { token } = await makeLoginLink(execution)
      return (await useLoginLink(execution, token)).sessionToken
    }
    const tokens = [await signIn(), await signIn()]
    await endSession(execution, tokens[0] ?? '')
    expect(await findSession(execution, tokens[0] ?? '')).toBeNull()
    expect(await findSession(execution, tokens[1] ?? '')).not.toBeNull()
  })

  it('tells the page who it is for and which server it talks to', async () => {
    const { execution, clock } = testExecution(db.database)
    const { token } = await makeLoginLink(execution)
    const { sessionToken } = await useLoginLink(execution, token)
    const signedIn = await findSession(execution, sessionToken)
    if (!signedIn) throw new Error('no session')
    expect(await describeSession(execution, signedIn)).toMatchObject({
      person: { name: 'Owner' },
      org: { name: 'Home' },
      role: 'owner',
      version: 'test',
      epoch: expect.any(String),
      now: clock.now().toISOString(),
      provider: { id: 'scripted', model: 'script-1', practice: false },
    })
  })
})

describe('the owner', () => {
  it('is one, however many start at once', async () => {
    const { execution } = testExecution(db.database)
    const owners = await Promise.all(Array.from({ length: 10 }, () => ensureOwner(execution)))
    expect(new Set(owners.map((owner) => owner.personId)).size).toBe(1)
    expect(await db.database.rows(sql`select from org`)).toHaveLength(1)
  })
})

// R035
describe('another’s prompt', () => {
  it('cannot be read, cancelled, retried or marked, and is answered like one that is not there', async () => {
    const { execution, person } = testExecution(db.database)
    const [me, stranger] = [await person(), await person()]
    const { prompt_id, job_id } = await submitPrompt(execution, me, { text: 'Private' })
    const before = await readPrompt(execution, me, prompt_id)
    const nowhere = '00000000-0000-7000-8000-000000000000'
    const sameOrg = { orgId: me.orgId, personId: stranger.personId }
    for (const act of [readPrompt, readThread, cancelPrompt, retryPrompt]) {
      const absent = await act(execution, me, nowhere).catch((error: unknown) => error)
      expect(absent).toMatchObject({ code: 'not_found' })
      for (const who of [stranger, sameOrg]) {
        expect(await act(execution, who, prompt_id).catch((error: unknown) => error)).toEqual(absent)
      }
    }
    await markSeen(execution, stranger, [{ prompt_id, job_id }])
    expect(await readPrompt(execution, me, prompt_id)).toEqual(before)
  })
})
