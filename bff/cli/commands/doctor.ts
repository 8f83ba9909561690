import type { Command } from 'commander'
import { DomainError } from '../../domain/errors.ts'
import type { DoctorAnswer } from '../../http/admin-contract.ts'
import { readConfig } from '../config.ts'
import { answerOf, machineChecks } from '../doctor/machine-checks.ts'
import { withReach } from '../reach/with-reach.ts'
import { type Column, printJson, printTable } from '../terminal/output.ts'
import { addVerb } from '../terminal/verb.ts'

export function addDoctor(program: Command): void {
  addVerb(
    program,
    'doctor',
    'Say how this product is set up, what that guarantees, and what is wrong.',
  ).action(doctor)
}

async function doctor({ json }: { json?: boolean }): Promise<void> {
  const answer = await examineOrExplain()
  if (json) printJson(answer)
  else printTable(columns, answer.checks, '')
  if (answer.ok) return
  const wrong = answer.checks.filter(({ ok }) => ok === false).map(({ name }) => name)
  throw new DomainError('not_ready', `Not all is well: ${wrong.join(', ')}.`)
}

/** When the data cannot be opened, that is one of the findings. */
async function examineOrExplain(): Promise<DoctorAnswer> {
  const config = readConfig()
  try {
    return await withReach('runs mission doctor', (reach) => reach.doctor(), config)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return answerOf([...(await machineChecks(config)), { name: 'database', ok: false, says: error.message }])
  }
}

const columns: Column<DoctorAnswer['checks'][number]>[] = [
  { heading: '', of: ({ ok }) => (ok === null ? '–' : ok ? 'ok' : 'NO') },
  { heading: 'CHECK', of: ({ name }) => name },
  { heading: 'FINDING', of: ({ says }) => says },
]
