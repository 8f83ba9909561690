/**
 * `npm test`: everything that must hold, in one command that installs what it needs.
 *   --quick              format, lint, types, unused files, import law and unit tests: nothing to install
 *   --only unit|pg|e2e   one part
 * The last line is `N passed, N failed, N skipped`; a step that is no test runner counts as one test.
 * Ends with 1 when anything failed and, where CI=true, when anything was skipped.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { countPlaywright, countVitest } from './count-results.mjs'
import { ensureBrowser, ensurePooler, ensurePostgres } from './find-programs.mjs'
import { build, ensurePackages, nodeComplaint, root } from './prepare.mjs'
import { runBounded, startBounded } from './run-bounded.mjs'

const minuteMs = 60_000
const parts = {
  all: ['format and lint', 'types', 'unused', 'build', 'unit', 'pg', 'e2e'],
  quick: ['format and lint', 'types', 'unused', 'unit'],
  unit: ['unit'],
  pg: ['pg'],
  e2e: ['build', 'e2e'],
}
const steps = {
  'format and lint': () => tool('@biomejs/biome/bin/biome', ['check', '.']),
  types: () => tool('typescript/bin/tsc', ['--noEmit']),
  unused: () => tool('knip/bin/knip.js', ['--no-progress']),
  build: buildAll,
  unit: () => vitest('unit', {}),
  pg: withPostgres,
  e2e: playwright,
}

const reports = mkdtempSync(join(tmpdir(), 'mission-tests-'))
const total = { passed: 0, failed: 0, skipped: 0 }
const failedSteps = []

process.chdir(root)
await main(readPart())

async function main(part) {
  const complaint = nodeComplaint()
  if (complaint) fail('node', new Error(complaint))
  else if (await prepared()) for (const name of parts[part]) await run(name)
  rmSync(reports, { recursive: true, force: true })
  if (failedSteps.length > 0) say(`\nFailed: ${failedSteps.join(', ')}`)
  say(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
  const tooManySkipped = process.env.CI === 'true' && total.skipped > 0
  process.exit(total.failed > 0 || tooManySkipped ? 1 : 0)
}

async function prepared() {
  try {
    await ensurePackages(say)
    return true
  } catch (error) {
    fail('packages', error)
    return false
  }
}

async function run(name) {
  say(`\n── ${name}`)
  const startedAt = performance.now()
  try {
    const counts = await steps[name]()
    for (const key of Object.keys(total)) total[key] += counts[key]
    if (counts.failed > 0) failedSteps.push(name)
    say(`── ${name}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  } catch (error) {
    fail(name, error)
  }
  say(`── ${name} took ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}

function fail(name, error) {
  total.failed += 1
  failedSteps.push(name)
  say(`── ${name} failed: ${error.message}`)
}

async function tool(path, args) {
  const command = [join('node_modules', path), ...args]
  mustBeZero(await runBounded(process.execPath, command, { timeoutMs: 5 * minuteMs }))
  return { passed: 1, failed: 0, skipped: 0 }
}

async function buildAll() {
  await build(async (command, args) =>
    mustBeZero(await runBounded(command, args, { timeoutMs: 10 * minuteMs })),
  )
  return { passed: 1, failed: 0, skipped: 0 }
}

async function vitest(project, env) {
  const report = join(reports, `${project}.json`)
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', project]
  args.push('--reporter=default', '--reporter=json', `--outputFile.json=${report}`)
  const ended = await runBounded(process.execPath, args, { timeoutMs: 20 * minuteMs, env })
  return settled(ended, () => countVitest(report))
}

async function withPostgres() {
  await ensurePooler()
  if (process.env.TEST_DATABASE_URL) return vitest('pg', {})
  const bin = await ensurePostgres()
  const server = await startBounded(
    process.execPath,
    ['--import', 'tsx', 'bff/store/testing/start-postgres.ts'],
    {
      timeoutMs: 2 * minuteMs,
      env: { PATH: `${bin}:${process.env.PATH}` },
    },
  )
  try {
    return await vitest('pg', { TEST_DATABASE_URL: JSON.parse(server.line).url })
  } finally {
    await server.stop()
  }
}

async function playwright() {
  if (failedSteps.includes('build')) throw new Error('not run, because the build failed')
  const report = join(reports, 'e2e.json')
  const args = ['node_modules/@playwright/test/cli.js', 'test', '-c', 'e2e/playwright.config.ts']
  const ended = await runBounded(process.execPath, [...args, '--reporter=list,json'], {
    timeoutMs: 30 * minuteMs,
    env: { MISSION_CHROMIUM: await ensureBrowser(), PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  })
  return settled(ended, () => countPlaywright(report))
}

/** A runner that ended badly with every test passed still failed: an error outside any test, or its deadline. */
function settled(ended, count) {
  const counts = count()
  if (ended.timedOut || (ended.code !== 0 && counts.failed === 0)) {
    say(ended.timedOut ? 'Ended at its deadline.' : `Ended with code ${ended.code} though no test failed.`)
    return { ...counts, failed: counts.failed + 1 }
  }
  return counts
}

function mustBeZero({ code, timedOut }) {
  if (timedOut) throw new Error('ended at its deadline')
  if (code !== 0) throw new Error(`ended with code ${code}`)
}

function readPart() {
  try {
    const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } })
    const part = values.only ?? (values.quick ? 'quick' : 'all')
    if (values.only !== undefined && !['unit', 'pg', 'e2e'].includes(part)) {
      throw new Error('--only takes unit, pg or e2e')
    }
    return part
  } catch (error) {
    say(error.message)
    process.exit(2)
  }
}

function say(line) {
  process.stdout.write(`${line}\n`)
}
