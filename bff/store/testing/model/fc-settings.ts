/** Settings of a random test: `FC_SEED` repeats a run whose seed a failure printed, `FC_RUNS` sets how many runs. */
export function fcSettings(runs: number): { numRuns: number; seed?: number } {
  const seed = process.env.FC_SEED
  return { numRuns: Number(process.env.FC_RUNS ?? runs), ...(seed ? { seed: Number(seed) } : {}) }
}
