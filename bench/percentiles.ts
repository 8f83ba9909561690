/** How a sample of times lies, in ms; nearest-rank percentiles. */
export interface Spread {
  count: number
  p50: number
  p99: number
  max: number
}

export function spreadOf(samplesMs: readonly number[]): Spread {
  const sorted = [...samplesMs].sort((a, b) => a - b)
  const at = (part: number): number =>
    rounded(sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN)
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

export function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
