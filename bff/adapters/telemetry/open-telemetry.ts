import type { Telemetry, TelemetryOptions } from './telemetry.ts'

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
