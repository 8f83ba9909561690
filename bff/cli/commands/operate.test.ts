import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { idleStatusAnswer } from '../../http/admin-queue-contract.ts'
import { signIn } from '../testing/browser-session.ts'
import { type Ended, missionIn } from '../testing/mission-process.ts'

/** Starting Node with its TypeScript loader takes seconds on a busy machine. */
const testMs = 600_000
const unknownId = '0190f3c0-0000-7000-8000-000000000000'
const listed = z.object({ jobs: z.array(z.looseObject({ job_id: z.string(), prompt_id: z.string() })) })
const archived = z.looseObject({ files: z.array(z.string()) })
const anything = z.looseObject({})

type Mission = ReturnType<typeof missionIn>

test(
  'without a server: a prompt is asked and answered, told of, replaced, archived and deleted',
  async () => {
    const mission = missionIn()
    const fromStdin = await mission.begin(['ask', '-', '--model', 'practice-fast'], 'Why?\n').ended
    expect(fromStdin).toMatchObject({ code: 0, stderr: '' })
    expect(fromStdin.stdout).toMatch(/practice/i)
    expectRefusal(await mission.run(['ask', 'Badly', '--model', 'practice-failing']), '(provider_4xx)')
    const table = await mission.run(['queue-metrics'])
    expect(table.stdout).toMatch(/^As of .*\n\nORG +QUEUED/)
    expect(table.stdout).toMatch(/provider_4xx +1 +50\.0 %/)

    const [failed] = (await mission.json(['list-jobs', '--state', 'failed'], listed)).jobs
    const { job_id = '', prompt_id = '' } = failed ?? {}
    const retried = await mission.json(['retry-job', job_id], anything)
    expect(await mission.json(['idle-status'], idleStatusAnswer)).toMatchObject({
      quiet: false,
      blockers: [{ kind: 'queued-job', job_id: retried.job_id }],
    })
    await mission.json(['run-worker', '--once'], anything)
    const before = ['--before', new Date().toISOString()]
    const { files } = await mission.json(['archive-old-jobs', ...before], archived)
    const [name = ''] = readdirSync(join(mission.dataDir, 'archive'))
    expect(files).toEqual([join(mission.dataDir, 'archive', name)])
    expect(statSync(files[0] ?? '').mode & 0o777).toBe(0o600)
    expectRefusal(await mission.run(['job-details', job_id]), 'not_found')

    const gone = await mission.json(['delete', prompt_id, '--yes'], anything)
    expect(gone).toEqual({ prompt_id, deleted: true })
    expectRefusal(await mission.run(['delete', unknownId, '--thread', '--yes']), 'not_found')
  },
  testMs,
)

test(
  'beside a server: its jobs are asked, told of and deleted through it; to stop waiting cancels nothing',
  async () => {
    const mission = missionIn({ MISSION_DRAIN_MS: '6000' })
    const server = await mission.serve()
    const browser = await signIn(server.loginUrl)
    const answer = await mission.run(['ask', 'Why?', '--model', 'practice-fast'])
    expect(answer).toMatchObject({ code: 0, stderr: '' })
    expect(answer.stdout).toMatch(/practice/i)

    const waiting = mission.begin(['ask', 'Take your time', '--model', 'practice-slow'])
    const blocker = await running(mission)
    waiting.kill('SIGINT')
    const stopped = await waiting.ended
    expectRefusal(stopped, `prompt ${blocker.prompt_id} is not cancelled`)
    expect((await browser.until(blocker.prompt_id, () => true)).state).toBe('running')
    expectRefusal(await mission.run(['delete', blocker.prompt_id, '--yes']), 'state_conflict')
    await mission.json(['cancel-job', blocker.job_id], anything)
    await mission.json(['delete', blocker.prompt_id, '--thread', '--yes'], anything)
    expect((await browser.get(`/api/v1/prompts/${blocker.prompt_id}`)).status).toBe(404)

    const impatient = await mission.run(['ask', 'More', '--model', 'practice-slow', '--timeout', '1'])
    expectRefusal(impatient, 'No answer within 1 s')
    expectRefusal(
      await mission.run(['import'], { DATABASE_URL: 'postgres://127.0.0.1:1/x' }),
      `${server.pid}`,
    )
    server.kill('SIGTERM')
    await server.ended
  },
  testMs,
)

/** What runs, as soon as something does. */
async function running(mission: Mission) {
  for (let looks = 0; looks < 50; looks += 1) {
    const { blockers } = await mission.json(['idle-status'], idleStatusAnswer)
    const [job] = blockers.filter(({ kind }) => kind === 'running-job')
    if (job) return z.looseObject({ job_id: z.string(), prompt_id: z.string() }).parse(job)
    await wait(25)
  }
  throw new Error('nothing ever ran')
}

function expectRefusal(ended: Ended, says: string): void {
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^mission: [^\n]+\n$/) })
  expect(ended.stderr).toContain(says)
}
