import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Database } from '../bff/store/database/database.ts'
import { openPostgres } from '../bff/store/database/postgres/open-postgres.ts'
import { startPostgres } from '../bff/store/testing/start-postgres.ts'
import { type RunningServer, runServer, runWorker } from './running-server.ts'

const idleMs = 600_000
const settleMs = 10_000

/**
 * Statements that PostgreSQL sees in ten minutes from two servers with an open page each and two workers, while a delayed
 * job is pending. The witness is the server: which of its sessions ran anything, or are new.
 */
export async function idleAcrossProcesses(): Promise<Record<string, unknown>> {
  const postgres = await startPostgres()
  const witness = await openPostgres({ url: postgres.url, connectionsMax: 1, applicationName: 'witness' })
  const opened: { close(): Promise<void> }[] = []
  try {
    const env = { DATABASE_URL: postgres.url, MISSION_MODEL: 'practice' }
    const servers: RunningServer[] = []
    for (let index = 0; index < 2; index += 1) {
      const server = await runServer(env, ['--no-worker'])
      servers.push(server)
      opened.unshift(server)
      opened.unshift(await runWorker(env))
    }
    for (const server of servers) opened.unshift(await openPage(server))
    const [first] = servers
    if (first) await submitForLater(first)
    await wait(settleMs)
    const before = await sessionsOf(witness)
    await wait(idleMs)
    const after = await sessionsOf(witness)
    const stirred = after.filter((session) => !before.includes(session))
    return {
      seconds: idleMs / 1_000,
      sessions: before.length,
      'sessions that ran a statement': stirred.length,
      stirred,
    }
  } finally {
    for (const one of opened) await one.close()
    await witness.close()
    await postgres.stop()
  }
}

/** One line a session of the product: another once it has run another statement. */
async function sessionsOf(witness: Database): Promise<string[]> {
  const rows = await witness.rows<{ line: string }>(sql`
    select concat_ws(' ', pid, application_name, query_start, left(query, 80)) as line from pg_stat_activity
    where datname = current_database() and application_name <> 'witness' order by pid`)
  return rows.map(({ line }) => line)
}

async function openPage({ url, cookie }: RunningServer): Promise<{ close(): Promise<void> }> {
  const leaving = new AbortController()
  const response = await fetch(`${url}/api/v1/mission/events`, {
    headers: { cookie },
    signal: leaving.signal,
  })
  const reading = response.body?.pipeTo(new WritableStream()).catch(() => {})
  return {
    async close() {
      leaving.abort()
      await reading
    },
  }
}

async function submitForLater({ url, cookie }: RunningServer): Promise<void> {
  const scheduled_for = new Date(Date.now() + 24 * 3_600_000).toISOString()
  const response = await fetch(`${url}/api/v1/prompt`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify({ text: 'Later', options: { scheduled_for } }),
  })
  if (response.status !== 202) throw new Error(`expected 202, got ${response.status}`)
}
