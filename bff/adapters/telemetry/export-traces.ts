import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Log } from '../../domain/ports.ts'
import { recordRun } from './record-run.ts'
import type { Telemetry, TelemetryOptions } from './telemetry.ts'

/** One trace a run, sent in batches to the collector that the environment names. Only `open-telemetry.ts` loads this. */
export function exportTraces({ version, log }: TelemetryOptions): Telemetry {
  const ours = resourceFromAttributes({ 'service.name': 'mission-field', 'service.version': version })
  const provider = new BasicTracerProvider({
    // What the environment says of the service goes before our own words.
    resource: ours.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(saysOnce(new OTLPTraceExporter(), log))],
  })
  const tracer = provider.getTracer('mission-field', version)
  let closed = false
  return {
    onRun(run) {
      if (!closed) recordRun(tracer, run)
    },
    async close(limitMs) {
      if (closed) return
      closed = true
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, limitMs)
      })
      // A collector that is away is no failure of ours.
      await Promise.race([provider.shutdown().catch(() => {}), late])
      clearTimeout(timer)
    },
  }
}

/**
 * One line when the collector stops taking traces, and one when it takes them again. The error's own words stay
 * unsaid: they may quote the collector's answer, or headers.
 */
function saysOnce(exporter: SpanExporter, log: Log): SpanExporter {
  let away = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== 0
        if (failed && !away) log.warn({ reason: reasonOf(result.error) }, 'traces do not reach the collector')
        if (!failed && away) log.info({}, 'traces reach the collector again')
        away = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}

function reasonOf(error: Error | undefined): string {
  const code = error && 'code' in error ? error.code : undefined
  return typeof code === 'string' || typeof code === 'number' ? String(code) : (error?.name ?? 'unknown')
}
