import type { Command } from 'commander'
import type { IdleStatusAnswer } from '../../http/admin-queue-contract.ts'
import { withReach } from '../reach/with-reach.ts'
import { type Column, print, printJson, printTable } from '../terminal/output.ts'
import { addVerb } from '../terminal/verb.ts'

export function addIdleStatus(program: Command): void {
  addVerb(program, 'idle-status', 'Say what keeps this installation busy and what will wake it.').action(
    idleStatus,
  )
}

async function idleStatus({ json }: { json?: boolean }): Promise<void> {
  const status = await withReach('runs mission idle-status', (reach) => reach.idleStatus())
  if (json) return printJson(status)
  print(status.quiet ? 'Quiet: nothing runs and nothing is due.' : 'Busy.')
  print('')
  printTable(dutyColumns, status.duties, '')
  print('')
  printTable(blockerColumns, status.blockers, 'No blockers.')
  print('')
  printTable(wakeUpColumns, status.wakeups, 'No wake-ups.')
}

const dutyColumns: Column<IdleStatusAnswer['duties'][number]>[] = [
  { heading: 'DUTY', of: ({ name }) => name },
  { heading: 'PENDING', of: ({ pending }) => pending },
  { heading: 'NEXT DEADLINE', of: ({ next_deadline }) => next_deadline },
  { heading: 'LAST PASS', of: ({ last_pass }) => last_pass },
]

const blockerColumns: Column<IdleStatusAnswer['blockers'][number]>[] = [
  { heading: 'BLOCKER', of: ({ kind }) => kind },
  { heading: 'DETAILS', of: (blocker) => detailsOf(blocker) },
]

const wakeUpColumns: Column<IdleStatusAnswer['wakeups'][number]>[] = [
  { heading: 'WAKE-UP', of: ({ kind }) => kind },
  { heading: 'AT', of: ({ at }) => at },
]

/** What a kind says of itself beside its name. */
function detailsOf(blocker: Record<string, unknown>): string {
  return Object.entries(blocker)
    .filter(([name]) => name !== 'kind')
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ')
}
