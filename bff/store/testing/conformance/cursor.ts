import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../domain/testing/seeded-random.ts'
import type { Database } from '../../database/database.ts'
import { type Cursor, decodeCursor, encodeCursor } from '../../events/cursor.ts'
import { type ChangePage, readChanges } from '../../events/read-changes.ts'
import { currentSnapshot, ownSnapshot, snapshotSince } from '../../events/snapshot.ts'
import { jobFactory } from '../job-factory.ts'
import type { TestDatabase } from '../test-database.ts'

const owner = { orgId: uuidV7(), personId: uuidV7() }
const epoch = 'epoch'

export async function here(database: Database): Promise<Cursor> {
  return { epoch, from: await currentSnapshot(database) }
}

/** Follows the feed to its end, in pages, each cursor as a client would carry it. */
export async function follow(
  database: Database,
  from: Cursor,
  limit: number,
  who: typeof owner | null = owner,
): Promise<{ seqs: number[]; cursor: Cursor; pages: ChangePage[] }> {
  const pages: ChangePage[] = []
  let cursor = from
  do {
    const page = await readChanges(database, who, decodeCursor(encodeCursor(cursor)), limit)
    pages.push(page)
    cursor = page.cursor
  } while (pages.at(-1)?.hasMore)
  return { seqs: pages.flatMap((page) => page.rows.map((row) => row.seq)), cursor, pages }
}

/** Writes `rows` events of one transaction, all at one time. */
export function writeEvents(database: Database, rows: number, who = owner): Promise<number[]> {
  return database.transaction(async (tx) => {
    const written = await tx.rows<{ seq: number }>(sql`
      insert into event (org_id, owner, kind, at)
      select ${who.orgId}::uuid, ${who.personId}::uuid, 'job-queued', timestamptz '2026-03-12T12:00:00Z'
      from generate_series(1, ${rows}::int) returning seq`)
    return written.map((row) => row.seq)
  })
}

export function cursorConformance(open: () => TestDatabase): void {
  describe('the cursor', () => {
    // R037
    it('delivers 500 events of one time in pages of 37, each once', async () => {
      const { database } = open()
      const start = await here(database)
      const written: number[] = []
      for (const rows of [1, 120, 79, 300]) written.push(...(await writeEvents(database, rows)))
      const { seqs, pages, cursor } = await follow(database, start, 37)
      expect(seqs.toSorted((a, b) => a - b)).toEqual(written)
      expect(pages.every((page) => page.rows.length <= 37)).toBe(true)
      expect((await follow(database, cursor, 37)).seqs).toEqual([])
    })

    it('taken inside a transaction lies right behind it: not told again, nothing later missed', async () => {
      const { database } = open()
      const inside = await database.transaction(async (tx) => {
        await tx.rows(sql`
          insert into event (org_id, owner, kind, at)
          values (${owner.orgId}::uuid, ${owner.personId}::uuid, 'job-queued', timestamptz '2026-03-12T12:00:00Z')`)
        return ownSnapshot(tx)
      })
      expect((await follow(database, { epoch, from: inside }, 37)).seqs).toEqual([])
      const later = await writeEvents(database, 3)
      expect((await follow(database, { epoch, from: inside }, 37)).seqs).toEqual(later)
    })

    it('delivers what commits between two pages after them, not among them', async () => {
      const { database } = open()
      const start = await here(database)
      const before = await writeEvents(database, 5)
      const first = await readChanges(database, owner, start, 2)
      const during = await writeEvents(database, 3)
      const rest = await follow(database, first.cursor, 2)
      expect([...first.rows.map((row) => row.seq), ...rest.seqs]).toEqual([...before, ...during])
      expect((await follow(database, rest.cursor, 2)).seqs).toEqual([])
    })

    it('delivers nothing of a rollback, and nothing of another’s', async () => {
      const { database } = open()
      const start = await here(database)
      const undone = database.transaction(async (tx) => {
        await tx.rows(sql`insert into event (org_id, owner, kind, at)
          values (${owner.orgId}::uuid, ${owner.personId}::uuid, 'job-queued', now())`)
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
      const foreign = await writeEvents(database, 2, { ...owner, personId: uuidV7() })
      const mine = await writeEvents(database, 1)
      const read = await follow(database, start, 10)
      expect(read.seqs).toEqual(mine)
      expect((await follow(database, start, 10, null)).seqs).toEqual([...foreign, ...mine])
    })

    it('is the same while no event is written, whatever took a transaction id meanwhile', async () => {
      const { database } = open()
      await writeEvents(database, 2)
      const start = await here(database)
      await database.rows(sql`select pg_current_xact_id()`)
      await database.transaction((tx) => tx.rows(sql`select pg_current_xact_id()`))
      expect(await here(database)).toEqual(start)
      const later = await writeEvents(database, 1)
      expect((await follow(database, start, 10)).seqs).toEqual(later)
    })

    it('goes on from the middle of a page as from its end', async () => {
      const { database } = open()
      const start = await here(database)
      const written = await writeEvents(database, 9)
      const page = await readChanges(database, owner, start, 100)
      for (const [index, row] of page.rows.entries()) {
        const cut: Cursor = { epoch, from: page.from, upto: page.upto, tx: row.tx, seq: row.seq }
        expect((await follow(database, cut, 4)).seqs).toEqual(written.slice(index + 1))
      }
      const later = await writeEvents(database, 2)
      const cut: Cursor = { epoch, from: page.from, upto: page.upto, tx: '1', seq: 0 }
      expect((await follow(database, cut, 100)).seqs).toEqual([...written, ...later])
    })

    it('of a time misses nothing from that time on, with the overlap', async () => {
      const { database } = open()
      const jobs = jobFactory(database)
      const since = jobs.now()
      jobs.advance(-30_000)
      const just = await jobs.submit()
      jobs.advance(-60_000)
      const long = await jobs.submit()
      const from = await snapshotSince(database, jobs.owner, since, 60_000)
      const read = await readChanges(database, jobs.owner, { epoch, from }, 100)
      const prompts = read.rows.map((row) => row.prompt_id)
      expect(prompts).toContain(just.promptId)
      expect(read.cursor).toEqual({ epoch, from: read.upto })
      const later = new Date(since.getTime() + 3_600_000)
      const none = await snapshotSince(database, jobs.owner, later, 60_000)
      expect((await readChanges(database, jobs.owner, { epoch, from: none }, 100)).rows).toEqual([])
      expect([just.promptId, long.promptId]).toEqual(expect.arrayContaining(prompts))
    })
  })

  describe('the text of a cursor', () => {
    it('comes back as it was', () => {
      const cursors: Cursor[] = [
        { epoch, from: '5:5:' },
        { epoch, from: '5:9:5,7' },
        { epoch, from: '5:9:5,7', upto: '18446744073709551614:18446744073709551615:', tx: '12', seq: 7 },
      ]
      for (const cursor of cursors) expect(decodeCursor(encodeCursor(cursor))).toEqual(cursor)
    })

    const wrong = [
      '',
      'x',
      'ünicode',
      '..',
      json(null),
      json({}),
      json([epoch]),
      json([epoch, '5:5', null, null, null]),
      json([epoch, '9:5:', null, null, null]),
      json([epoch, '0:5:', null, null, null]),
      json([epoch, '5:9:4', null, null, null]),
      json([epoch, '5:9:9', null, null, null]),
      json([epoch, '5:9:7,6', null, null, null]),
      json([epoch, '5:99999999999999999999:', null, null, null]),
      json([epoch, '5:5:', '5:5:', null, null]),
      json([epoch, '5:5:', '5:5:', '-1', 1]),
      json([epoch, '5:5:', '5:5:', '99999999999999999999', 1]),
      json([epoch, '5:5:', '5:5:', '6', 1.5]),
      json([epoch, '5:5:', '5:5:', '6', -1]),
      json([7, '5:5:', null, null, null]),
      json([epoch, `5:5:' or true`, null, null, null]),
    ]
    it.each(wrong)('is refused by its field when it is %j', (text) => {
      expect(() => decodeCursor(text)).toThrow(
        expect.objectContaining({
          code: 'malformed_cursor',
          details: { errors: [expect.objectContaining({ field: 'since' })] },
        }),
      )
    })

    it('that was damaged is either refused or one that the database takes', async () => {
      const { database } = open()
      const seed = 20_260_312
      const random = seededRandom(seed)
      const { from } = await here(database)
      const whole = encodeCursor({ epoch, from, upto: from, tx: '700', seq: 12 })
      let taken = 0
      for (let round = 0; round < 400; round++) {
        const at = Math.floor(random() * whole.length)
        const letter = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'[
          Math.floor(random() * 64)
        ]
        const damaged = `${whole.slice(0, at)}${letter}${whole.slice(at + 1)}`
        const cursor = decoded(damaged)
        if (cursor === null) continue
        taken += 1
        await expect(
          readChanges(database, owner, cursor, 1),
          `seed ${seed}: ${damaged}`,
        ).resolves.toBeDefined()
      }
      expect(taken).toBeGreaterThan(5)
    })
  })
}

function decoded(text: string): Cursor | null {
  try {
    return decodeCursor(text)
  } catch {
    return null
  }
}

function json(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
