import { Gauge, type Registry } from 'prom-client'
import { DomainError } from '../../domain/errors.ts'
import type { Execution } from '../../execution/context.ts'
import { readQueueGauges } from '../../execution/watch/read-queue-gauges.ts'

/**
 * What waits and runs in the database, whichever process makes it; read when somebody asks, at the cost of one
 * statement. While the database cannot be reached they are left out: an old number would look like a new one.
 */
export function registerQueueGauges(registry: Registry, execution: Execution): { read(): Promise<void> } {
  const registers = [registry]
  const jobs = new Gauge({
    name: 'mission_jobs',
    help: 'Jobs that have not ended, over all processes: queued, running, or held until a person decides.',
    labelNames: ['state'],
    registers,
  })
  const gates = new Gauge({
    name: 'mission_provider_gate_closed',
    help: 'Whether a provider takes no calls now, by its own word.',
    labelNames: ['provider'],
    registers,
  })
  const up = new Gauge({
    name: 'mission_database_up',
    help: 'Whether the database answered this scrape.',
    registers,
  })
  return {
    async read() {
      jobs.reset()
      gates.reset()
      try {
        const { queued, running, held, closedGates } = await readQueueGauges(execution)
        for (const [state, count] of Object.entries({ queued, running, held })) jobs.set({ state }, count)
        for (const { id } of execution.providers.list()) gates.set({ provider: id }, 0)
        for (const provider of closedGates) gates.set({ provider }, 1)
        up.set(1)
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        jobs.reset()
        gates.reset()
        up.set(0)
      }
    },
  }
}
