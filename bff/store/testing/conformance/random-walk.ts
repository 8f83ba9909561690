import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { applyEvent, isTerminal, type JobFacts, violations } from '../../../domain/job-state.ts'
import { seededRandom } from '../../../domain/testing/seeded-random.ts'
import type { ClaimedJob } from '../../jobs/claim-jobs.ts'
import { type FactsRow, factsOfRow, type JobFactory, jobFactory, type MadePrompt } from '../job-factory.ts'
import type { TestDatabase } from '../test-database.ts'

const steps = 300

/** Every statement, in any order, on a few threads, against the model: also those that must do nothing. */
export function randomWalkConformance(open: () => TestDatabase): void {
  describe('a random walk', () => {
    it(`of ${steps} statements keeps rows, revisions and events to the model`, async () => {
      const seed = Number(process.env.WALK_SEED ?? Date.now() % 1_000_000)
      const random = seededRandom(seed)
      const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
      const jobs = jobFactory(open().database)
      const prompts: MadePrompt[] = [await jobs.submit()]
      const claims: ClaimedJob[] = []

      const act = async (): Promise<string> => {
        const prompt = pick(prompts) ?? prompts[0]
        const claim = pick(claims.slice(-6))
        const roll = random()
        if (!prompt || roll < 0.1) {
          const parent = prompts.length > 1 ? pick(prompts) : undefined
          const thread = { correlation_id: prompts[0]?.promptId ?? '' }
          prompts.push(await jobs.submit(parent ? { parent_id: parent.promptId, ...thread } : {}))
          return 'submit'
        }
        if (roll < 0.35 || !claim) {
          claims.push(...(await jobs.claimSome({ limit: 2 })))
          return 'claim'
        }
        if (roll < 0.48) return `succeed ${await jobs.succeed(claim)}`
        if (roll < 0.56) return `fail ${await jobs.fail(claim)}`
        if (roll < 0.64 && claim.attempt < 3) return `requeue ${await jobs.requeue(claim, 'retry-later', 0)}`
        if (roll < 0.7) return `limited ${await jobs.requeue(claim, 'wait-for-provider', 0)}`
        if (roll < 0.76) return `back ${await jobs.handBack(claim)}`
        if (roll < 0.8) return `reclaim ${JSON.stringify(await jobs.reclaim({ formerSelf: true }))}`
        if (roll < 0.86) return `cancel ${JSON.stringify(await jobs.cancel(prompt.jobId))}`
        const jobId = await jobs.retry(prompt.promptId)
        if (jobId) prompt.jobId = jobId
        return `retry ${jobId}`
      }

      let before = await world(jobs)
      for (let step = 0; step < steps; step++) {
        jobs.advance(10)
        const did = await act()
        const after = await world(jobs)
        const where = `seed ${seed}, step ${step}: ${did}`
        for (const [promptId, now] of after) {
          expect(violations(now.facts), where).toEqual([])
          const was = before.get(promptId)
          if (!was) continue
          const changed = now.revision - was.revision
          expect(changed, where).toBeLessThanOrEqual(1)
          expect(now.events - was.events, where).toBe(changed)
          if (changed === 0) expect(now.facts, where).toEqual(was.facts)
          else if (now.jobId === was.jobId) expectMove(was.facts, now.facts, where)
        }
        before = after
      }
    })
  })
}

interface Standing {
  jobId: string
  facts: JobFacts
  revision: number
  events: number
}

/** How each prompt and its current job stand, by one statement. */
async function world(jobs: JobFactory): Promise<Map<string, Standing>> {
  const rows = await jobs.database.rows<
    FactsRow & { id: string; prompt_id: string; revision: number; events: number }
  >(
    sql`select j.*, p.revision, (select count(*) from event e where e.prompt_id = p.id) as events
      from entity p join job j on j.prompt_id = p.id and j.state <> 'superseded'`,
  )
  const standing = (row: (typeof rows)[number]): Standing => {
    const { id, revision, events } = row
    return { jobId: id, facts: factsOfRow(row), revision, events }
  }
  return new Map(rows.map((row) => [row.prompt_id, standing(row)]))
}

/** The move from `was` to `now` is one that the model knows, whichever it was. */
function expectMove(was: JobFacts, now: JobFacts, where: string): void {
  if (JSON.stringify(was) === JSON.stringify(now)) return
  expect(isTerminal(was.state), where).toBe(false)
  const token = was.workerClaim ?? now.workerClaim ?? ''
  const facts = { token, errorKind: now.errorKind ?? 'unknown', responseId: now.responseId ?? 'none' }
  const at = now.finishedAt ?? now.startedAt ?? 0
  const events = [
    'claim',
    'succeed',
    'retry-later',
    'wait-for-provider',
    'hand-back',
    'fail',
    'reclaim',
    'give-up',
    'cancel',
  ] as const
  const possible = events.map((event) => applyEvent(was, { event, at, ...facts }))
  expect(possible, where).toContainEqual(now)
}
