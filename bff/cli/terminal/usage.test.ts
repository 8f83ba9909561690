import { afterEach, expect, test, vi } from 'vitest'
import { createProgram } from './program.ts'
import { refusalOf } from './refusal.ts'

const id = '0190f3c0-0000-7000-8000-000000000000'

afterEach(() => void vi.restoreAllMocks())

/** What the process would print and end with; no case here gets as far as the data. */
async function endOf(...args: string[]) {
  const defects: unknown[] = []
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    throw new Error('it did not end')
  } catch (error) {
    const refusal = refusalOf(error, (defect) => defects.push(defect))
    return { refusal, defects, printed: printed.mock.calls.map(([text]) => String(text)).join('') }
  }
}

test.for([
  [['frobnicate'], /frobnicate/],
  [[], /verb/],
  [['list-jobs', '--nonsense'], /--nonsense/],
  [['list-jobs', 'surplus'], /too many arguments/],
  [['list-jobs', '--state', 'asleep'], /asleep/],
  [['list-jobs', '--state'], /--state/],
  [['list-jobs', '--limit', '0'], /1 to 500/],
  [['list-jobs', '--limit', '501'], /1 to 500/],
  [['list-jobs', '--limit', '5x'], /1 to 500/],
  [['list-jobs', '--org', 'home'], /org id/],
  [['list-jobs', '--since', 'yesterday'], /2026-01-31/],
  [['list-jobs', '--since', '2026-13-45'], /2026-01-31/],
  [['job-details'], /job_id/],
  [['job-details', '12'], /UUID/],
  [['cancel-job', `${id}0`], /UUID/],
  [['retry-job', 'not-an-id'], /UUID/],
  [['retry-job', id, id], /too many arguments/],
  [['run-worker', '--once', '--batch-size', '0'], /1 to 1000/],
  [['run-worker', '--priority-ceiling', '101'], /0 to 100/],
  [['serve', '--port', '65536'], /0 to 65535/],
  [['backup'], /file/],
  [['queue-metrics', '--org', 'home'], /org id/],
  [['queue-metrics', '--since', 'lately'], /2026-01-31/],
  [['archive-old-jobs', '--before'], /--before/],
  [['archive-old-jobs', '--before', 'long ago'], /2026-01-31/],
  [['archive-old-jobs', '--before', '2999-01-01'], /future/],
  [['ask'], /text/],
  [['ask', ' \n'], /The text must not be blank/],
  [['ask', 'Why?', 'not'], /too many arguments/],
  [['ask', 'Why?', '--model', 'two\nlines'], /The model must be one line/],
  [['ask', 'Why?', '--priority', '101'], /0 to 100/],
  [['ask', 'Why?', '--timeout', '0'], /1 to 2000000/],
  [['delete'], /id/],
  [['delete', '12', '--yes'], /UUID/],
  [['delete', id], /--yes/],
  [['delete', '--thread', id], /--yes/],
  [['idle-status', 'surplus'], /too many arguments/],
  [['import'], /DATABASE_URL/],
  [['import', '--from'], /--from/],
] as const)('mission %s is wrong usage: one line, exit code 2', async ([args, says]) => {
  const { refusal, defects, printed } = await endOf(...args)
  expect(refusal).toMatchObject({ exitCode: 2, line: expect.stringMatching(says) })
  expect(refusal?.line).toMatch(/^mission: [^\n]+$/)
  expect(defects).toEqual([])
  expect(printed).toBe('')
})

test.for([['--help'], ['serve', '--help'], ['--version']])('mission %s is no failure', async (args) => {
  const { refusal, printed } = await endOf(...args)
  expect(refusal).toBeNull()
  expect(printed).toMatch(/Usage: mission|^\d+\.\d+\.\d+/)
})

test('every verb answers programs with --json', () => {
  const without = createProgram().commands.filter(
    (command) => !command.options.some((option) => option.long === '--json'),
  )
  expect(without.map((command) => command.name())).toEqual([])
  expect(createProgram().commands.length).toBeGreaterThan(10)
})

test('an error that nobody expected says nothing of itself', () => {
  const defects: unknown[] = []
  const error = new Error('password hunter2\nat line 1')
  expect(refusalOf(error, (defect) => defects.push(defect))).toEqual({
    exitCode: 1,
    line: expect.not.stringMatching(/hunter2|\n/),
  })
  expect(defects).toEqual([error])
})
