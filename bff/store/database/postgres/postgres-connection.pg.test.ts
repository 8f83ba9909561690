import { connect, createServer, type Server, type Socket } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestPostgres, testPostgres } from '../../testing/test-postgres.ts'
import type { Database, Tx } from '../database.ts'
import { openPostgres } from './open-postgres.ts'

let scratch: TestPostgres
beforeAll(async () => {
  scratch = await testPostgres()
  await scratch.database.rows(sql`create table note (id int primary key)`)
})
afterAll(() => scratch.close())

const unavailable = { name: 'DomainError', code: 'database_unavailable' }

async function backendOf(tx: Tx): Promise<number> {
  const [row] = await tx.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  return row?.pid ?? 0
}

/** Ends a session and returns once the server has no trace of it. */
async function terminate(pid: number): Promise<void> {
  await scratch.database.rows(sql`select pg_terminate_backend(${pid}::int, 5000)`)
}

test('a transaction whose connection was lost fails, keeps nothing, and the pool goes on', async () => {
  const pool = await openPostgres({ url: scratch.url, connectionsMax: 1 })
  const between = pool.transaction(async (tx) => {
    await tx.rows(sql`insert into note values (1)`)
    await terminate(await backendOf(tx))
    return tx.rows(sql`select 1`)
  })
  await expect(between).rejects.toMatchObject(unavailable)
  const during = pool.transaction(async (tx) => {
    const pid = await backendOf(tx)
    await Promise.all([tx.rows(sql`select pg_sleep(30)`), terminate(pid)])
  })
  await expect(during).rejects.toMatchObject(unavailable)
  const failure = new Error('of the work')
  const throwing = pool.transaction(async (tx) => {
    await terminate(await backendOf(tx))
    throw failure
  })
  await expect(throwing).rejects.toBe(failure)
  expect(await pool.rows(sql`select count(*) as n from note`)).toEqual([{ n: 0 }])
  await pool.close()
})

test('a commit whose answer was lost is announced all the same, and throws', async () => {
  const proxy = await cuttingProxy(scratch.url, 'commit')
  const pool = await openPostgres({ url: proxy.url, connectionsMax: 1 })
  let heard = 0
  pool.signals.subscribe('events', () => {
    heard += 1
  })
  const unanswered = pool.transaction(async (tx) => {
    await tx.rows(sql`insert into note values (2)`)
    tx.signal({ topic: 'events' })
  })
  await expect(unanswered).rejects.toMatchObject(unavailable)
  expect(heard).toBe(1)
  await pool.close()
  await proxy.close()
})

test('statements sent along with BEGIN are not run outside when the connection fails as it is made', async () => {
  await scratch.database.rows(sql`delete from note`)
  const proxy = await startingProxy(scratch.url)
  const pool = await openPostgres({ url: proxy.url, connectionsMax: 1 })
  const together = (tx: Tx) =>
    Promise.all([11, 12, 13].map((id) => tx.rows(sql`insert into note values (${id}::int)`)))
  proxy.refuseNext(2)
  // The first finds its connection cut, the others a server that is starting up.
  for (let n = 0; n < 3; n++) await expect(pool.transaction(together)).rejects.toMatchObject(unavailable)
  expect(proxy.refusalsLeft()).toBe(0)
  const later = pool.rows(sql`select id from note`)
  expect(await later).toEqual([])
  await pool.transaction(together)
  expect(await pool.rows(sql`select count(*) as n from note`)).toEqual([{ n: 3 }])
  await pool.close()
  await proxy.close()
})

test('what waits behind a statement is not run on the next connection when that one is lost', async () => {
  await scratch.database.rows(sql`delete from note`)
  const pool = await openPostgres({ url: scratch.url, connectionsMax: 1, prepare: false })
  const cut = pool.transaction(async (tx) => {
    const pid = await backendOf(tx)
    await Promise.all([
      tx.rows(sql`select pg_sleep(${30}::int)`),
      tx.rows(sql`insert into note values (${21}::int)`),
      tx.rows(sql`insert into note values (${22}::int)`),
      terminate(pid),
    ])
  })
  await expect(cut).rejects.toMatchObject(unavailable)
  expect(await pool.rows(sql`select id from note`)).toEqual([])
  await pool.close()
})

test('what cannot be reached or entered is said in one line without the password', async () => {
  const url = new URL(scratch.url)
  url.password = 'hush'
  const nobodyListens = await freePort()
  const wrong = [
    ['not a url hush', /DATABASE_URL is not of the form/],
    [`postgres://u:hush@127.0.0.1:${nobodyListens}/x`, /cannot be reached \(ECONNREFUSED\)/],
    [Object.assign(new URL(url), { pathname: '/absent_test' }).href, /absent_test.*does not exist/],
    [Object.assign(new URL(url), { username: 'stranger' }).href, /stranger/],
  ] as const
  for (const [bad, message] of wrong) {
    const error = await openPostgres({ url: bad }).catch((e: unknown) => e)
    expect(error).toMatchObject({ ...unavailable, message: expect.stringMatching(message) })
    expect(String(error)).not.toMatch(/hush|\n/)
  }
})

test('a server that hangs up on every connection is given up after the connect timeout', async () => {
  const rude = createServer((socket) => socket.destroy())
  const port = await listening(rude)
  const opening = openPostgres({ url: `postgres://u:hush@127.0.0.1:${port}/x`, connectTimeoutMs: 300 })
  await expect(opening).rejects.toMatchObject(unavailable)
  await new Promise((resolve) => rude.close(resolve))
})

test('a transaction that sits idle is ended by the server', async () => {
  const pool = await openPostgres({ url: scratch.url, idleInTransactionMs: 100 })
  const idle = pool.transaction(async (tx) => {
    const pid = await backendOf(tx)
    await untilGone(scratch.database, pid)
    await tx.rows(sql`select 1`)
  })
  await expect(idle).rejects.toMatchObject(unavailable)
  await pool.close()
})

test('works without named statements, as behind a pooler', async () => {
  const pool = await openPostgres({ url: scratch.url, prepare: false, connectionsMax: 1 })
  for (const n of [1, 2]) expect(await pool.rows(sql`select ${n}::int as n`)).toEqual([{ n }])
  expect(await pool.rows(sql`select name from pg_prepared_statements`)).toEqual([])
  await pool.close()
})

/** Asks the server until the session is gone; the database call itself paces the loop. */
async function untilGone(database: Database, pid: number): Promise<void> {
  const givesUpAt = Date.now() + 10_000
  while (Date.now() < givesUpAt) {
    const rows = await database.rows(sql`select pg_sleep(0.02) from pg_stat_activity where pid = ${pid}::int`)
    if (rows.length === 0) return
  }
  throw new Error('the session did not end')
}

/** Passes bytes on, but cuts both ends once the client has sent `word` to the server. */
async function cuttingProxy(url: string, word: string): Promise<{ url: string; close(): Promise<void> }> {
  const { port, hostname } = new URL(url)
  const sockets = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    server.on('data', (bytes) => client.write(bytes))
    server.on('close', () => client.destroy())
    client.on('close', () => server.destroy())
    client.on('data', (bytes) => {
      const cuts = bytes.includes(word)
      server.write(bytes, () => {
        if (cuts) client.destroy()
      })
    })
  })
  const proxyPort = await listening(proxy)
  return {
    url: Object.assign(new URL(url), { port: String(proxyPort) }).href,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Cuts the connections that it has when it is told to refuse the next ones, in the words of a server that starts up. */
async function startingProxy(url: string) {
  const { port, hostname } = new URL(url)
  const sockets = new Set<Socket>()
  let refusals = 0
  const proxy = createServer((client) => {
    sockets.add(client)
    client.on('error', () => {}).on('close', () => sockets.delete(client))
    if (refusals > 0) {
      refusals -= 1
      client.once('data', () => client.end(startingUp()))
      return
    }
    const server = connect(Number(port), hostname)
    server.on('error', () => {}).on('close', () => client.destroy())
    client.on('close', () => server.destroy())
    client.pipe(server).pipe(client)
  })
  const proxyPort = await listening(proxy)
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: Object.assign(new URL(url), { port: String(proxyPort) }).href,
    refuseNext(count: number) {
      refusals = count
      cut()
    },
    refusalsLeft: () => refusals,
    close: () =>
      new Promise<void>((resolve) => {
        proxy.close(() => resolve())
        cut()
      }),
  }
}

/** An ErrorResponse of the protocol: FATAL, `cannot_connect_now`. */
function startingUp(): Buffer {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0')
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address && typeof address === 'object') resolve(address.port)
      else reject(new Error('no port'))
    })
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}
