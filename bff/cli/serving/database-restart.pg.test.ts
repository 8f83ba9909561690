import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { defaultDeadlines } from '../../domain/deadlines.ts'
import { submitPrompt } from '../../execution/submit-prompt.ts'
import { migrate } from '../../store/database/migrate.ts'
import { openPostgres } from '../../store/database/postgres/open-postgres.ts'
import { type RunningPostgres, startPostgres } from '../../store/testing/start-postgres.ts'
import { joinedExecution } from '../testing/joined-execution.ts'

let postgres: RunningPostgres
beforeAll(async () => {
  postgres = await startPostgres()
  const database = await openPostgres({ url: postgres.url, connectionsMax: 1 })
  await migrate(database)
  await database.close()
})
afterAll(() => postgres.stop())

it('PostgreSQL may crash while an attempt runs: its answer is stored once, and everybody goes on', async () => {
  // So short that beats fall into the outage, which must not count as a lost claim.
  const settings = { deadlines: { ...defaultDeadlines, heartbeatMs: 50 } }
  const [server, worker] = [
    await joinedExecution(postgres.url, { worker: false }),
    await joinedExecution(postgres.url, { worker: true, settings }),
  ]
  const me = await server.person()
  const follower = await server.follow(me)
  const { prompt_id } = await submitPrompt(server.execution, me, { text: 'Ask' })
  const call = await worker.provider.call(0)
  await follower.state(prompt_id, 'running')

  const restarting = postgres.restart('immediate')
  const refused = await firstRefusal(() => submitPrompt(server.execution, me, { text: 'Is anybody there?' }))
  expect(refused).toMatchObject({ name: 'DomainError', code: 'database_unavailable' })
  call.answer('Said while nobody could write it down')
  await restarting

  await follower.state(prompt_id, 'succeeded')
  const again = await submitPrompt(server.execution, me, { text: 'And again' })
  const next = await callOf(again.job_id)
  next.answer('Here')
  await follower.state(again.prompt_id, 'succeeded')
  const [counts] = await server.database.rows(sql`
    select (select count(*) from ledger l where l.job_id = j.id) as runs,
      (select count(*) from entity e join edge on edge.to_id = e.id
       where edge.from_id = j.prompt_id and e.kind = 'response') as responses
    from job j where j.prompt_id = ${prompt_id}::uuid`)
  expect(counts).toEqual({ runs: 1, responses: 1 })

  /** A submit that was refused may have been stored all the same: its job runs too. */
  async function callOf(jobId: string) {
    for (let index = 1; ; index += 1) {
      const made = await worker.provider.call(index)
      if (made.request.runKey.startsWith(jobId)) return made
      made.answer('Unasked')
    }
  }
})

/** Does it again and again until it fails; a statement to a server that is going down may still get its answer. */
async function firstRefusal(work: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    try {
      await work()
    } catch (error) {
      return error
    }
  }
}
