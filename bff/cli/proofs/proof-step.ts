/** One thing that was looked at. */
export interface ProofStep {
  what: string
  expected: string
  seen: string
  ok: boolean
}
