import type { Log } from '../../domain/ports.ts'
import type { RunReport } from '../../domain/watched-facts.ts'

/** Where finished runs go when somebody collects traces. */
export interface Telemetry {
  /** Takes a run and returns at once; it is sent later, with others. */
  onRun(run: RunReport): void
  /** Sends what is left, for `limitMs` at most: a collector that is away holds nobody up. */
  close(limitMs: number): Promise<void>
}

export interface TelemetryOptions {
  environment: Readonly<Record<string, string | undefined>>
  /** Of this product, for the traces' resource. */
  version: string
  log: Log
}
