/** Reads how many tests passed, failed and were skipped out of the reports that the test runners wrote. */
import { readFileSync } from 'node:fs'

/**
 * Vitest's JSON report. A file that could not be loaded counts as one failure, since its tests are unknown.
 * Throws when the report is missing or holds no test.
 */
export function countVitest(file) {
  const report = readReport(file)
  const brokenFiles = report.testResults.filter(
    (result) =>
      result.status === 'failed' && !result.assertionResults.some((test) => test.status === 'failed'),
  )
  return atLeastOne({
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  })
}

/** Playwright's JSON report; a test that passed only when repeated is a failure, since it hides a race. */
export function countPlaywright(file) {
  const { stats } = readReport(file)
  return atLeastOne({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
  })
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new Error('left no readable report', { cause })
  }
}

function atLeastOne(counts) {
  const all = [counts.passed, counts.failed, counts.skipped]
  if (!all.every(Number.isInteger)) throw new Error('left a report without counts')
  if (all.every((count) => count === 0)) throw new Error('ran no test')
  return counts
}
