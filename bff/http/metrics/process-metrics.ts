import { Counter, Gauge, type Registry } from 'prom-client'
import type { Execution } from '../../execution/context.ts'

/** What this process is and has open. `sseClients` is asked at each scrape. */
export function registerProcessMetrics(
  registry: Registry,
  { database, version }: Execution,
  sseClients: () => number,
): void {
  const registers = [registry]
  new Gauge({
    name: 'mission_build_info',
    help: 'Always 1; the label says which version answers.',
    labelNames: ['version'],
    registers,
  }).set({ version }, 1)
  new Gauge({
    name: 'mission_sse_clients',
    help: 'Event streams that this process serves now.',
    registers,
    collect() {
      this.set(sseClients())
    },
  })
  new Counter({
    name: 'mission_database_statements_total',
    help: 'Statements that this process ran, BEGIN and COMMIT included.',
    registers,
    collect() {
      this.reset()
      this.inc(database.statementCount())
    },
  })
}
