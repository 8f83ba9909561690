import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { createProgram } from '../terminal/program.ts'
import { refusalOf } from '../terminal/refusal.ts'
import { missionIn } from '../testing/mission-process.ts'
import { proofNames } from './proof.ts'

/** Starting Node with its TypeScript loader takes seconds on a busy machine. */
const testMs = 400_000

const step = z.object({ what: z.string(), expected: z.string(), seen: z.string(), ok: z.literal(true) })
const answer = z.object({
  ok: z.literal(true),
  database: z.literal('pglite'),
  proofs: z.array(
    z.object({
      name: z.string(),
      says: z.string(),
      ok: z.literal(true),
      ms: z.number(),
      steps: z.array(step),
    }),
  ),
})

test.for([['proof'], ['proof', 'everything'], ['proof', 'all', 'surplus']])(
  'mission %s is wrong usage',
  async (args) => {
    const ended = createProgram().parseAsync(args, { from: 'user' })
    const error: unknown = await ended.then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(refusalOf(error, () => {})).toMatchObject({
      exitCode: 2,
      line: expect.stringMatching(/^mission: \S/),
    })
  },
)

test('mission proof all --json names each proof with its steps, beside the data and never in it', {
  timeout: testMs,
}, async () => {
  const mission = missionIn()
  const { proofs } = await mission.json(['proof', 'all'], answer)
  expect(proofs.map(({ name }) => name)).toEqual([...proofNames])
  for (const { steps } of proofs) expect(steps.length).toBeGreaterThan(3)
  expect(existsSync(join(mission.dataDir, 'pglite'))).toBe(false)
  expect(readdirSync(mission.dataDir)).toEqual([])
})

test('mission proof NAME tells people what it saw and ends with a verdict', { timeout: testMs }, async () => {
  const mission = missionIn()
  const { code, stdout, stderr } = await mission.run(['proof', 'async-execution'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^async-execution: /)
  expect(stdout).toMatch(/ok {2}the job as stored, during the call: running/)
  expect(stdout).toMatch(/All held, on the embedded database\.\n$/)
})

test('a scratch database that cannot be had is one line and exit code 1', { timeout: testMs }, async () => {
  const mission = missionIn({ DATABASE_URL: 'postgres://127.0.0.1:1/mine' })
  const { code, stdout, stderr } = await mission.run(['proof', 'retry'])
  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/^mission: [^\n]+\(database_unavailable\)\n$/)
})
