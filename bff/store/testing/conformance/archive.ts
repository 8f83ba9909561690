import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { archiveJobs, countArchivable } from '../../archive/archive-jobs.ts'
import { readMeta } from '../../events/read-changes.ts'
import { currentSnapshot } from '../../events/snapshot.ts'
import { readViewsById } from '../../views/read-views.ts'
import { jobFactory, type MadePrompt } from '../job-factory.ts'
import type { TestDatabase } from '../test-database.ts'

const dayMs = 24 * 60 * 60_000

export function archiveConformance(open: () => TestDatabase): void {
  async function setup() {
    const { database } = open()
    await database.rows(sql`update meta set value = '"0"' where key = 'event_floor'`)
    const jobs = jobFactory(database)
    const folder = join(mkdtempSync(join(tmpdir(), 'mission-archive-')), 'archive')
    onTestFinished(() => rmSync(join(folder, '..'), { recursive: true }))
    const archive = (before: Date, limit = 500) =>
      archiveJobs(database, { before, folder, from: null, limit })
    const lines = (): Exported[] =>
      readdirSync(folder)
        .sort()
        .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
        .map((line) => JSON.parse(line))
    const answered = async (): Promise<MadePrompt> => {
      const made = await jobs.submit()
      await jobs.succeed(await jobs.claim())
      return made
    }
    /** Settled twice: the first job is what an archival may take. */
    const answeredTwice = async (): Promise<{ promptId: string; first: string; second: string }> => {
      const { promptId, jobId } = await answered()
      jobs.advance(60_000)
      const second = await jobs.retry(promptId)
      await jobs.succeed(await jobs.claim(), { text: 'A better answer.' })
      return { promptId, first: jobId, second: second ?? '' }
    }
    const idsOf = async (table: 'job' | 'ledger' | 'event') => {
      const column = sql.identifier(table === 'job' ? 'id' : 'job_id')
      const rows = await database.rows<{ id: string }>(
        sql`select distinct ${column} as id from ${sql.identifier(table)} order by 1`,
      )
      return rows.map(({ id }) => id)
    }
    return { database, jobs, folder, archive, lines, answered, answeredTwice, idsOf }
  }

  describe('archival', () => {
    it('exports a replaced job whole and deletes its rows; the prompt’s newest and every answer stay', async () => {
      const { database, jobs, folder, archive, lines, answeredTwice, idsOf } = await setup()
      const { promptId, first, second } = await answeredTwice()
      const [before] = await readViewsById(database, [promptId])
      const answers = await database.rows(sql`select id from entity where kind = 'response' order by id`)
      jobs.advance(40 * dayMs)
      expect(await countArchivable(database, jobs.now())).toBe(1)
      expect(await archive(jobs.now())).toMatchObject({ jobs: 1, ledgerRows: 1, events: 3 })

      const [name = ''] = readdirSync(folder)
      expect(name).toMatch(/^jobs-\d{8}T\d{9}Z-.*\.ndjson$/)
      expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([
        0o700, 0o600,
      ])
      expect(lines()).toMatchObject([
        {
          job: { id: first, prompt_id: promptId, state: 'superseded', outcome: 'succeeded' },
          ledger: [{ job_id: first, run: 1 }],
          events: [{ kind: 'job-queued' }, { kind: 'job-claimed' }, { kind: 'job-succeeded' }],
          drafts: [],
        },
      ])
      for (const table of ['job', 'ledger', 'event'] as const) expect(await idsOf(table)).toEqual([second])
      const [after] = await readViewsById(database, [promptId])
      expect(after).toEqual({ ...before, view: { ...before?.view, earlier_jobs: [] } })
      expect(before?.view.earlier_jobs).toHaveLength(1)
      expect(await database.rows(sql`select id from entity where kind = 'response' order by id`)).toEqual(
        answers,
      )
      expect(await jobs.retry(promptId)).not.toBeNull()
      expect(await archive(jobs.now())).toBeNull()
    })

    it('never takes a newest job, one that waits or runs, or the one whose answer is shown', async () => {
      const { database, jobs, archive, answered, idsOf } = await setup()
      await answered()
      await jobs.submit()
      await jobs.claim()
      const { promptId } = await answered()
      await jobs.retry(promptId)
      const [before] = await readViewsById(database, [promptId])
      expect(before?.view).toMatchObject({ state: 'queued', answer_excerpt: 'An answer.' })
      const known = await idsOf('job')
      jobs.advance(400 * dayMs)
      expect(await countArchivable(database, jobs.now())).toBe(0)
      expect(await archive(jobs.now())).toBeNull()
      expect(await idsOf('job')).toEqual(known)
      expect(await readViewsById(database, [promptId])).toEqual([before])
      expect((await readMeta(database)).eventFloor).toBe('0')
    })

    it('leaves what settled later, and takes the rest oldest first, so many at once', async () => {
      const { jobs, archive, lines, answeredTwice } = await setup()
      const made: string[] = []
      for (let n = 0; n < 3; n++) made.push((await answeredTwice()).first)
      const between = jobs.now()
      jobs.advance(dayMs)
      await answeredTwice()
      expect(await archive(between, 2)).toMatchObject({ jobs: 2 })
      expect(await archive(between, 2)).toMatchObject({ jobs: 1 })
      expect(await archive(between, 2)).toBeNull()
      expect(lines().map(({ job }) => job.id)).toEqual(made)
    })

    it('raises the floor above what it took and no further', async () => {
      const { database, jobs, archive, answered, answeredTwice } = await setup()
      const early = await currentSnapshot(database)
      await answeredTwice()
      const late = await currentSnapshot(database)
      jobs.advance(dayMs)
      const before = jobs.now()
      await answered()
      await archive(before)
      const floor = BigInt((await readMeta(database)).eventFloor)
      const xmin = (snapshot: string) => BigInt(snapshot.split(':')[0] ?? 0)
      expect(xmin(early)).toBeLessThan(floor)
      expect(xmin(late)).toBeGreaterThanOrEqual(floor)
      await archive(jobs.now())
      expect((await readMeta(database)).eventFloor).toBe(String(floor))
    })

    it('leaves the present position above the floor, though little happened after what it took', async () => {
      const { database, jobs, archive, answered } = await setup()
      const { promptId } = await answered()
      jobs.advance(60_000)
      await jobs.retry(promptId)
      await jobs.claim()
      jobs.advance(dayMs)
      expect(await archive(jobs.now())).toMatchObject({ jobs: 1 })
      const present = await currentSnapshot(database)
      const floor = BigInt((await readMeta(database)).eventFloor)
      expect(BigInt(present.split(':')[0] ?? 0)).toBeGreaterThanOrEqual(floor)
    })

    it('keeps what happened to other jobs in the same transaction', async () => {
      const { database, jobs, archive } = await setup()
      const first = await jobs.submit()
      const follower = await jobs.follow(first)
      await jobs.succeed(await jobs.claim())
      jobs.advance(1_000)
      await jobs.retry(first.promptId)
      const claims = await jobs.claimSome()
      for (const claim of claims) await jobs.succeed(claim)
      const kinds = await jobs.eventKinds(follower.promptId)
      expect(kinds).toContain('job-released')
      jobs.advance(dayMs)
      expect(await archive(jobs.now())).toMatchObject({ jobs: 1 })
      expect(await jobs.eventKinds(follower.promptId)).toEqual(kinds)
      const [shared] = await database.rows(sql`
        select from event where job_id = ${first.jobId}::uuid`)
      expect(shared).toBeUndefined()
    })

    it('cut short between export and deletion has lost nothing, and the next run completes it', async () => {
      const { database, jobs, folder, archive, lines, answeredTwice } = await setup()
      const { first } = await answeredTwice()
      jobs.advance(dayMs)
      const everything = await jobs.everything()
      const dying = {
        ...database,
        transaction: <T>(work: Parameters<typeof database.transaction<T>>[0]) =>
          database.transaction<T>(async (tx) => {
            await work(tx)
            throw new Error('killed')
          }),
      }
      const request = { before: jobs.now(), folder, from: null, limit: 500 }
      await expect(archiveJobs(dying, request)).rejects.toThrow('killed')
      expect(await jobs.everything()).toEqual(everything)
      expect((await readMeta(database)).eventFloor).toBe('0')
      expect(lines()).toMatchObject([{ job: { id: first } }])
      expect(await archive(jobs.now())).toMatchObject({ jobs: 1 })
      expect(lines()).toMatchObject([{ job: { id: first } }])
    })

    it('deletes nothing when the export cannot be written', async () => {
      const { database, jobs, folder, answeredTwice } = await setup()
      await answeredTwice()
      jobs.advance(dayMs)
      const everything = await jobs.everything()
      const inTheWay = `${folder}-file`
      writeFileSync(inTheWay, '')
      const request = { before: jobs.now(), folder: inTheWay, from: null, limit: 500 }
      await expect(archiveJobs(database, request)).rejects.toThrow(/EEXIST|ENOTDIR/)
      expect(await jobs.everything()).toEqual(everything)
    })
  })
}

interface Exported {
  job: { id: string }
}
