import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const buildMs = 300_000

/** The built `mission`, which is run by Node itself: workers that are killed every second have to start fast. */
export const missionProgram = join(root, 'dist/bff/cli/main.js')

/** Plain JavaScript decides whether `dist/` is of these sources; it is asked in a process of its own. */
const ask = `import { ensureBuild } from './.ci/prepare.mjs'
await ensureBuild((line) => process.stderr.write(line + '\\n'))`

/** Builds `dist/` unless it was built from exactly these sources. @throws Error when the build fails. */
export function ensureProduct(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', ask], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: buildMs,
    })
    child.on('error', reject)
    child.on('exit', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`the build ended with ${code}`))
    })
  })
}
