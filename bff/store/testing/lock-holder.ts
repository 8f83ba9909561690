/**
 * Takes the lock of the directory named by its argument once a line arrives on standard input, prints
 * `{ "taken": … , "message": … }`, and holds it until the input ends. For tests that need other processes.
 */
import { createInterface } from 'node:readline'
import { takeLock } from '../database/pglite/lock-file.ts'

const directory = process.argv[2]
if (!directory) throw new Error('usage: lock-holder.ts DIRECTORY')

process.stdout.write('ready\n')
createInterface({ input: process.stdin })
  .once('line', () => {
    try {
      const lock = takeLock(directory, 'holds it for a test')
      process.on('exit', () => lock.release())
      process.stdout.write(`${JSON.stringify({ taken: true })}\n`)
    } catch (error) {
      process.stdout.write(`${JSON.stringify({ taken: false, message: String(error) })}\n`)
    }
  })
  .once('close', () => process.exit(0))
