import type { ProofStep } from './proof-step.ts'
import type { Stage } from './stage.ts'

/** Something that the product promises of its queue, shown on a scratch database by doing it. */
export interface Proof {
  name: string
  /** The promise, in one sentence. */
  says: string
  /** Does it, and tells the stage what it expected and what it saw. */
  play(stage: Stage): Promise<void>
}

export interface ProofReport {
  name: string
  says: string
  /** Whether everything was seen as expected. */
  ok: boolean
  ms: number
  steps: ProofStep[]
}
