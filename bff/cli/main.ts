#!/usr/bin/env node
import { recordDefect } from './record-defect.ts'
import { createProgram } from './terminal/program.ts'
import { refusalOf } from './terminal/refusal.ts'

// Everything written is this account's alone: data, log, socket.
process.umask(0o077)

// Whoever reads us may close the pipe at any time (`mission list-jobs | head`), and a server must outlive its terminal.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

process.on('uncaughtException', end)

try {
  await createProgram().parseAsync()
  process.exit(0)
} catch (error) {
  end(error)
}

/** Open handles of a verb that failed keep nothing alive: its data is closed, or was never opened. */
function end(error: unknown): never {
  const refusal = refusalOf(error, recordDefect)
  if (refusal) process.stderr.write(`${refusal.line}\n`)
  process.exit(refusal?.exitCode ?? 0)
}
