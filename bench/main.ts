import { acrossProcesses } from './across-processes.ts'
import { cycles } from './cycles.ts'
import { idleAcrossProcesses } from './idle-across-processes.ts'
import { idleStatements } from './idle-statements.ts'
import { machine } from './machine.ts'
import { benchQueue } from './queue/bench-queue.ts'
import { submitLatency } from './submit-latency.ts'

/** `npm run bench` runs all, `npm run bench -- NAME …` some; the result is JSON on stdout with the machine named. */
const benches: Readonly<Record<string, () => Promise<Record<string, unknown>>>> = {
  'submit-latency': submitLatency,
  cycles,
  'idle-statements': idleStatements,
  'across-processes': acrossProcesses,
  'idle-across-processes': idleAcrossProcesses,
  queue: benchQueue,
}

const wanted = process.argv.slice(2).filter((name) => name !== '--')
const unknown = wanted.filter((name) => !(name in benches))
if (unknown.length > 0) {
  console.error(`no such benchmark: ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}`)
  process.exit(2)
}
const results: Record<string, unknown> = { machine: machine(), at: new Date().toISOString() }
for (const [name, run] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.error(`${name} …`)
  results[name] = await run()
  console.error(JSON.stringify(results[name]))
}
console.log(JSON.stringify(results, null, 2))
