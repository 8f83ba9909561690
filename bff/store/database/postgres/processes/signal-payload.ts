import { readSignal, type Signal } from '../../../../domain/signals.ts'

/** Where all processes on one database hear each other's signals. */
export const signalChannel = 'mission_field_signals'

/** PostgreSQL takes payloads of less than 8,000 bytes. */
export const payloadBytesMax = 7_900

/** `signals` in as many payloads as they need; no signals are one empty payload, which is a probe. */
export function signalPayloads(origin: string, signals: readonly Signal[]): string[] {
  const payloads: string[] = []
  const close = (texts: readonly string[]): void => void payloads.push(`${start}${texts.join(',')}]}`)
  const start = `{"origin":${JSON.stringify(origin)},"signals":[`
  let texts: string[] = []
  let bytes = 0
  for (const text of signals.map((signal) => JSON.stringify(signal))) {
    const more = Buffer.byteLength(text) + 1
    if (texts.length > 0 && start.length + bytes + more > payloadBytesMax) {
      close(texts)
      texts = []
      bytes = 0
    }
    texts.push(text)
    bytes += more
  }
  close(texts)
  return payloads
}

/**
 * Signals as they were sent, with all their fields; those of topics that this version does not know are left out. Null
 * for what no process of ours sent.
 */
export function readPayload(text: string): { origin: string; signals: readonly Signal[] } | null {
  const value = jsonOf(text)
  if (typeof value !== 'object' || value === null) return null
  const origin: unknown = Reflect.get(value, 'origin')
  const signals: unknown = Reflect.get(value, 'signals')
  if (typeof origin !== 'string' || !Array.isArray(signals)) return null
  return { origin, signals: signals.flatMap((signal) => readSignal(signal) ?? []) }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
