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

/**
 * OpenTelemetry, if its own variables name a collector (`OTEL_EXPORTER_OTLP_ENDPOINT`, or `…_TRACES_ENDPOINT`) and
 * `OTEL_SDK_DISABLED` is not `true`; else null, and none of its packages is loaded. Every other `OTEL_*` variable is
 * the SDK's to read.
 */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry | null> {
  const { environment, log } = options
  const endpoint = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || environment.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!endpoint || environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null
  const protocol =
    environment.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || environment.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/json'
  if (protocol !== 'http/json') log.warn({ protocol }, 'traces are sent as http/json only')
  try {
    const { exportTraces } = await import('./export-traces.ts')
    return exportTraces(options)
  } catch (error) {
    // Watching must not keep work from being done.
    log.error({ err: error }, 'traces cannot be sent; going on without them')
    return null
  }
}
