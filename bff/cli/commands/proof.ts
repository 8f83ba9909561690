import { Argument, type Command } from 'commander'
import { DomainError } from '../../domain/errors.ts'
import { readConfig } from '../config.ts'
import type { ProofReport } from '../proofs/proof.ts'
import type { ProofStep } from '../proofs/proof-step.ts'
import { awaitEnd } from '../serving/end-signal.ts'
import { print, printJson, visible } from '../terminal/output.ts'
import { addVerb } from '../terminal/verb.ts'

/** Named here as well as in their files, so that wrong usage is told without loading an engine. */
export const proofNames = [
  'async-execution',
  'priority-queue',
  'retry',
  'heartbeat',
  'concurrent-safety',
] as const

export function addProof(program: Command): void {
  addVerb(program, 'proof', 'Show on scratch data that the queue keeps its promises.')
    .addArgument(new Argument('<name>', 'which promise').choices([...proofNames, 'all']))
    .action(proof)
}

async function proof(name: string, { json }: { json?: boolean }): Promise<void> {
  const end = awaitEnd()
  const { databaseUrl } = readConfig()
  const { openScratch } = await import('../proofs/scratch-database.ts')
  const { proofs, runProof } = await import('../proofs/run-proofs.ts')
  const reports: ProofReport[] = []
  const scratch = await openScratch(databaseUrl)
  try {
    for (const one of proofs) {
      if (name !== 'all' && one.name !== name) continue
      const playing = runProof(one, scratch.database)
      // Told to end meanwhile, its scratch data goes away under it.
      playing.catch(() => {})
      const report = await Promise.race([playing, end.asked])
      if (typeof report === 'string') throw new DomainError('not_ready', `Ended by ${report}.`)
      reports.push(report)
      if (!json) tell(report)
    }
  } finally {
    await scratch.drop()
  }
  const broken = reports.filter(({ ok }) => !ok).map((report) => report.name)
  const { kind } = scratch.database
  const on = kind === 'pglite' ? 'the embedded database' : 'PostgreSQL'
  if (json) printJson({ ok: broken.length === 0, database: kind, proofs: reports })
  else if (broken.length === 0) print(`All held, on ${on}.`)
  if (broken.length > 0) throw new DomainError('internal', `Not proven on ${on}: ${broken.join(', ')}.`)
}

function tell({ name, says, ok, ms, steps }: ProofReport): void {
  print(`${name}: ${says}`)
  for (const step of steps) print(`  ${lineOf(step)}`)
  print(`  ${ok ? 'held' : 'NOT PROVEN'}, ${(ms / 1_000).toFixed(1)} s`)
  print('')
}

function lineOf({ what, expected, seen, ok }: ProofStep): string {
  const wanted = seen === expected ? '' : ` (expected ${visible(expected)})`
  return `${ok ? 'ok' : 'NO'}  ${visible(what)}: ${visible(seen)}${wanted}`
}
