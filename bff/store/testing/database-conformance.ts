import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Signal } from '../../domain/signals.ts'
import type { Database, Tx } from '../database/database.ts'
import { sqlArray, sqlJson } from '../database/sql-values.ts'
import { isUniqueViolation, StatementError } from '../database/statement-error.ts'
import type { TestDatabase } from './test-database.ts'

/** What every `Database` must do, whichever server is behind it. */
export function databaseConformance(open: () => Promise<TestDatabase>): void {
  let opened: TestDatabase
  let database: Database
  beforeAll(async () => {
    opened = await open()
    database = opened.database
    await database.rows(sql`create table note (id int primary key, body text)`)
  })
  afterAll(() => opened.close())
  beforeEach(() => opened.truncate())

  const insert = (id: number) => sql`insert into note values (${id}, 'x')`
  const ids = async (): Promise<number[]> =>
    (await database.rows<{ id: number }>(sql`select id from note order by id`)).map((row) => row.id)
  const hearing = (): { heard: Signal[]; leave(): void } => {
    const heard: Signal[] = []
    const leave = database.signals.subscribe('job-cancelled', (signal) => heard.push(signal))
    return { heard, leave }
  }
  const cancelled = (jobId: string): Signal => ({ topic: 'job-cancelled', jobId })

  describe('rows', () => {
    test('have values of the same kinds on both databases', async () => {
      const [row] = await database.rows(sql`
        select '2026-01-02 03:04:05.678+02'::timestamptz(3) as at, count(*) as n, 12::int8 as big, 1.5::numeric as num,
          1.25::float8 as float, 7::smallint as small, true as yes, 'a'::text as word, null::text as nothing,
          '3'::xid8 as tx, '10:20:10,14'::pg_snapshot as snapshot, '{"a":[1,null]}'::jsonb as json,
          '00000000-0000-7000-8000-000000000001'::uuid as id`)
      expect(row).toEqual({
        at: new Date('2026-01-02T01:04:05.678Z'),
        n: 1,
        big: 12,
        num: 1.5,
        float: 1.25,
        small: 7,
        yes: true,
        word: 'a',
        nothing: null,
        tx: '3',
        snapshot: '10:20:10,14',
        json: { a: [1, null] },
        id: '00000000-0000-7000-8000-000000000001',
      })
    })

    test('have arrays as arrays, whatever their items hold', async () => {
      const words = ['plain', '', 'NULL', 'a "quoted" \\ word', '{x,y}', 'two\nlines', null]
      const [row] = await database.rows(sql`
        select ${sqlArray(words, 'text')} as words, ${sqlArray([], 'text')} as none,
          ${sqlArray([1, 2 ** 40], 'bigint')} as numbers, ${sqlArray([true, false], 'boolean')} as flags,
          ${sqlArray([new Date(5), null], 'timestamptz')} as times, array['1', '2']::xid8[] as txs`)
      expect(row).toEqual({
        words,
        none: [],
        numbers: [1, 2 ** 40],
        flags: [true, false],
        times: [new Date(5), null],
        txs: ['1', '2'],
      })
    })

    test('give back the JSON that went in', async () => {
      const values = [{ text: `it's "so" \\ {}` }, [1, 'two'], 'a string', '{"not":"parsed"}', 5, true, null]
      for (const value of values) {
        const [row] = await database.rows<{ json: unknown; kind: string }>(
          sql`select ${sqlJson(value)} as json, jsonb_typeof(${sqlJson(value)}) as kind`,
        )
        expect(row?.json).toEqual(value)
        if (typeof value === 'string') expect(row?.kind).toBe('string')
      }
    })

    test('take strings, numbers, bigints, booleans, Dates and null as parameters', async () => {
      const at = new Date('2026-05-06T07:08:09.123Z')
      const [row] = await database.rows(sql`
        select ${'word'}::text as word, ${7}::int as n, ${9007199254740991n}::bigint as big, ${false}::boolean as no,
          ${at}::timestamptz as at, ${null}::uuid as nothing, ${true}::boolean and ${at}::timestamptz < now() as both`)
      expect(row).toEqual({
        word: 'word',
        n: 7,
        big: 9007199254740991,
        no: false,
        at,
        nothing: null,
        both: true,
      })
    })

    test('refuse an object as a parameter, and a number too large for JavaScript', async () => {
      await expect(database.rows(sql`select ${{ a: 1 }}::jsonb`)).rejects.toThrow(/Parameter \$1 .* sqlJson/)
      await expect(database.rows(sql`select 9007199254740993::int8 as n`)).rejects.toThrow(/9007199254740993/)
    })

    test('find ids in an array of any length with one statement', async () => {
      await database.rows(sql`insert into note select n, 'x' from generate_series(1, 5) n`)
      for (const wanted of [[], [2], [1, 4, 9]]) {
        const rows = await database.rows<{ id: number }>(
          sql`select id from note where id = any(${sqlArray(wanted, 'int')}) order by id`,
        )
        expect(rows.map((row) => row.id)).toEqual(wanted.filter((id) => id <= 5))
      }
    })

    test('follow a change of their table, however often their statement ran before', async () => {
      await database.rows(insert(1))
      const read = () => database.rows(sql`select * from note`)
      for (let n = 0; n < 3; n += 1) expect(await read()).toEqual([{ id: 1, body: 'x' }])
      await database.rows(sql`alter table note add column more int`)
      expect(await read()).toEqual([{ id: 1, body: 'x', more: null }])
      await database.rows(sql`alter table note drop column more`)
      for (let n = 0; n < 250; n += 1) expect(await read()).toEqual([{ id: 1, body: 'x' }])
    })

    test('go on after a statement was refused again and again', async () => {
      await database.rows(insert(1))
      for (let n = 0; n < 4; n += 1) {
        await expect(database.rows(insert(1))).rejects.toMatchObject({ sqlState: '23505' })
        await expect(database.rows(sql`select ${'x'}::int`)).rejects.toMatchObject({ sqlState: '22P02' })
        await expect(database.rows(sql`selec`)).rejects.toMatchObject({ sqlState: '42601' })
      }
      expect(await ids()).toEqual([1])
    })

    test('name the violated constraint and keep parameters out of the error', async () => {
      await database.rows(insert(1))
      const error = await database
        .rows(sql`insert into note values (1, ${'a private text'})`)
        .catch((e: unknown) => e)
      expect(isUniqueViolation(error, 'note_pkey')).toBe(true)
      expect(isUniqueViolation(error, 'another')).toBe(false)
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('private')
      expect(await ids()).toEqual([1])
    })
  })

  describe('transactions', () => {
    test('keep all or nothing', async () => {
      const failure = new Error('of the work')
      const failing = database.transaction(async (tx) => {
        await tx.rows(insert(1))
        throw failure
      })
      await expect(failing).rejects.toBe(failure)
      const result = await database.transaction(async (tx) => {
        await tx.rows(insert(2))
        return 'done'
      })
      expect(result).toBe('done')
      expect(await ids()).toEqual([2])
    })

    test('fail when a statement in them failed, even if its error was caught', async () => {
      await database.rows(insert(1))
      const swallowing = database.transaction(async (tx) => {
        await tx.rows(insert(2))
        await tx.rows(insert(1)).catch(() => {})
      })
      await expect(swallowing).rejects.toBeInstanceOf(StatementError)
      expect(await ids()).toEqual([1])
    })

    test('survive a savepoint that failed and was caught', async () => {
      await database.rows(insert(1))
      await database.transaction(async (tx) => {
        await tx.rows(insert(2))
        await tx
          .transaction(async (inner) => {
            await inner.rows(insert(3))
            await inner.rows(insert(1))
          })
          .catch(() => {})
        await tx.transaction((inner) => inner.rows(insert(4)))
      })
      expect(await ids()).toEqual([1, 2, 4])
    })

    test('keep a last statement that travels with COMMIT, made of what was signalled', async () => {
      const heard: string[] = []
      const leave = database.signals.subscribe('job-queued', () => heard.push('job-queued'))
      const along = (said: readonly Signal[]) => insert(said.length)
      await database.transaction(
        async (tx) => {
          tx.signal({ topic: 'job-queued' })
          tx.signal({ topic: 'job-queued' })
        },
        { along },
      )
      leave()
      expect(await ids()).toEqual([2])
      expect(heard).not.toEqual([])
    })

    test('keep and signal nothing when that last statement is refused', async () => {
      await database.rows(insert(1))
      const heard: string[] = []
      const leave = database.signals.subscribe('job-queued', () => heard.push('job-queued'))
      const refused = database.transaction(
        async (tx) => {
          await tx.rows(insert(2))
          tx.signal({ topic: 'job-queued' })
        },
        { along: () => insert(1) },
      )
      await expect(refused).rejects.toMatchObject({ sqlState: '23505' })
      leave()
      expect(await ids()).toEqual([1])
      expect(heard).toEqual([])
      await database.transaction((tx) => tx.rows(insert(3)))
      expect(await ids()).toEqual([1, 3])
    })

    test('read one snapshot throughout at repeatable read', async () => {
      const isolation = await database.transaction(
        async (tx) => (await tx.rows(sql`select current_setting('transaction_isolation') as level`))[0],
        { isolation: 'repeatable read' },
      )
      expect(isolation).toEqual({ level: 'repeatable read' })
    })

    test('run one after another in the order of asking when they want the same row', async () => {
      await database.rows(sql`insert into note values (1, '')`)
      await Promise.all(
        Array.from({ length: 20 }, () =>
          database.transaction(async (tx) => {
            const [note] = await tx.rows<{ body: string }>(sql`select body from note where id = 1 for update`)
            await tx.rows(sql`update note set body = ${`${note?.body}x`} where id = 1`)
          }),
        ),
      )
      expect(await database.rows(sql`select length(body) as n from note`)).toEqual([{ n: 20 }])
    })

    test('refuse the outer database inside, instead of waiting for ever', async () => {
      await expect(database.transaction(() => database.rows(sql`select 1`))).rejects.toThrow(/use the tx/)
      await expect(database.transaction(() => database.transaction(async () => 1))).rejects.toThrow(
        /use the tx/,
      )
      expect(await ids()).toEqual([])
    })

    test('let work they started use the database after they ended', async () => {
      let later: Promise<number[]> | undefined
      const ended = deferred<void>()
      await database.transaction(async (tx) => {
        await tx.rows(insert(1))
        later = ended.promise.then(ids)
      })
      ended.resolve()
      expect(await later).toEqual([1])
    })

    test('refuse their tx once they are over, and while a savepoint of it is open', async () => {
      const escaped: Tx[] = []
      await database.transaction(async (tx) => {
        escaped.push(tx)
        await expect(tx.transaction(() => tx.rows(insert(1)))).rejects.toThrow(/savepoint/)
      })
      await expect(escaped[0]?.rows(insert(2))).rejects.toThrow(/over/)
      expect(await ids()).toEqual([])
    })
  })

  describe('signals', () => {
    test('leave after the outermost commit, once each', async () => {
      const { heard, leave } = hearing()
      await database.transaction(async (tx) => {
        tx.signal(cancelled('a'))
        await tx.transaction(async (inner) => inner.signal(cancelled('b')))
        tx.signal(cancelled('a'))
        expect(heard).toEqual([])
      })
      leave()
      expect(heard).toEqual([cancelled('a'), cancelled('b')])
    })

    test('never leave after a rollback, nor those of a savepoint that was undone', async () => {
      const { heard, leave } = hearing()
      const undone = async (tx: Tx): Promise<void> => {
        tx.signal(cancelled('undone'))
        throw new Error('undo')
      }
      await database.transaction(undone).catch(() => {})
      await database.transaction(async (tx) => {
        await tx.transaction(undone).catch(() => {})
        await tx
          .transaction(async (middle) => {
            await middle.transaction(async (inner) => inner.signal(cancelled('undone with its parent')))
            throw new Error('undo')
          })
          .catch(() => {})
        tx.signal(cancelled('kept'))
      })
      leave()
      expect(heard).toEqual([cancelled('kept')])
    })

    test('do not leave when COMMIT itself is refused', async () => {
      await database.rows(sql`create table late (id int references note (id) deferrable initially deferred)`)
      const { heard, leave } = hearing()
      const refused = database.transaction(async (tx) => {
        await tx.rows(sql`insert into late values (99)`)
        tx.signal(cancelled('refused'))
      })
      await expect(refused).rejects.toMatchObject({ sqlState: '23503' })
      leave()
      expect(heard).toEqual([])
      await database.rows(sql`drop table late`)
    })

    test('let their listener use the database', async () => {
      const found = deferred<number[]>()
      const leave = database.signals.subscribe('events', () => found.resolve(ids()))
      await database.transaction(async (tx) => {
        await tx.rows(insert(1))
        tx.signal({ topic: 'events' })
      })
      leave()
      expect(await found.promise).toEqual([1])
    })
  })

  test('statementCount counts statements, BEGIN and COMMIT', async () => {
    const before = database.statementCount()
    await database.rows(sql`select 1`)
    await database.transaction((tx) => tx.rows(sql`select 1`))
    expect(database.statementCount() - before).toBe(4)
  })

  test('close waits for what runs, and refuses what comes later', async () => {
    const second = await open()
    const slow = second.database.transaction(async (tx) => {
      await tx.rows(sql`select pg_sleep(0.05)`)
      return tx.rows(sql`select 1 as one`)
    })
    const closing = second.close()
    expect(await slow).toEqual([{ one: 1 }])
    await closing
    await expect(second.database.rows(sql`select 1`)).rejects.toMatchObject({ code: 'database_unavailable' })
  })
}

function deferred<T>(): { promise: Promise<T>; resolve(value: T | Promise<T>): void } {
  let settle: (value: T | Promise<T>) => void = () => {}
  const promise = new Promise<T>((resolve) => {
    settle = resolve
  })
  return { promise, resolve: (value) => settle(value) }
}
