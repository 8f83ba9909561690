import { runSoak } from './run-soak.ts'
import { readSoakOptions, type SoakOptions } from './soak-options.ts'

/** What a person sees of a failure: a broken promise may repeat itself for every prompt. */
const shownMax = 40

/**
 * `npm run soak -- --seed N …` prints a JSON report on stdout and ends with 1, naming on stderr what broke. Progress
 * goes to stderr. The flags are those of `soak-options.ts`.
 */
async function main(options: SoakOptions): Promise<number> {
  const abort = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => abort.abort(new Error(`ended by ${signal}`)))
  }
  const say = (line: string): void => {
    process.stderr.write(`${(performance.now() / 1_000).toFixed(1)} s: ${line}\n`)
  }
  const report = await runSoak(options, say, abort.signal)
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  for (const what of report.broken.slice(0, shownMax)) process.stderr.write(`broken: ${what}\n`)
  const more = report.broken.length - shownMax
  if (more > 0) process.stderr.write(`… and ${more} more\n`)
  return report.broken.length === 0 ? 0 : 1
}

function read(): SoakOptions {
  try {
    return readSoakOptions(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(2)
  }
}

try {
  process.exit(await main(read()))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
