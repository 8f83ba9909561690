import type { Command } from 'commander'
import type { JobDetailsAnswer } from '../../http/admin-contract.ts'
import { withReach } from '../reach/with-reach.ts'
import { type Column, print, printJson, printTable, visible } from '../terminal/output.ts'
import { addVerb, jobId } from '../terminal/verb.ts'

export function addJobDetails(program: Command): void {
  addVerb(program, 'job-details', 'Show one job: its row, its attempts, its events.')
    .argument('<job_id>', 'id of the job', jobId)
    .action(showJob)
}

async function showJob(id: string, { json }: { json?: boolean }): Promise<void> {
  const details = await withReach('runs mission job-details', (reach) => reach.jobDetails(id))
  if (json) printJson(details)
  else printDetails(details)
}

function printDetails({ ledger, events, ...rest }: JobDetailsAnswer): void {
  for (const [name, value] of facts(rest)) print(`${name.padEnd(22)}${value}`)
  print('')
  printTable(columnsOf(ledger), ledger, 'No attempts yet.')
  print('')
  printTable(columnsOf(events), events, 'No events.')
}

/** The job's own fields, one a line; what is nested is taken apart, what is empty left out. */
function facts(row: object): [string, string][] {
  return Object.entries(row).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined) return []
    if (typeof value === 'object' && !Array.isArray(value)) return facts(value)
    return [[name, textOf(value)]]
  })
}

type Row = Record<string, unknown>

/** Columns that say something about at least one of the rows. */
function columnsOf(rows: readonly Row[]): Column<Row>[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row).filter((name) => row[name] !== null)))
  return [...names].map((name) => ({ heading: name.toUpperCase(), of: (row) => textOf(row[name]) }))
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return visible(typeof value === 'string' ? value : JSON.stringify(value))
}
