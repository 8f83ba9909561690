import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { DomainError } from '../../domain/errors.ts'
import type { Database } from '../database/database.ts'
import { invalidBackup } from './backup-format.ts'
import { fillEmpty } from './fill-empty.ts'

export interface RestoreReport {
  rows: number
  /** The new name of this copy of the data. */
  epoch: string
  /** When the backup was taken. */
  createdAt: Date
  /** Jobs that ran then and wait again now. */
  handedBack: string[]
}

/**
 * Fills an empty, migrated database from a file of `backup`, all or nothing; `fillEmpty` says what changes thereby.
 *
 * @throws DomainError `invalid_backup` for a file that is absent, foreign, cut, or of another version;
 * `state_conflict` when the database has rows already.
 */
export async function restore(database: Database, file: string, now: Date): Promise<RestoreReport> {
  const { header, rows, epoch, handedBack } = await fillEmpty(database, (take) => readLines(file, take), now)
  return { rows, epoch, createdAt: new Date(header.created_at), handedBack }
}

async function readLines(file: string, onLine: (line: string) => Promise<void>): Promise<void> {
  const source = createReadStream(file)
  const plain = createGunzip()
  source.on('error', (error) => plain.destroy(error))
  source.pipe(plain)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let headerSeen = false
  try {
    for await (const chunk of plain) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) await onLine(line)
      headerSeen ||= lines.length > 0
      if (!headerSeen && rest.length > headerLengthMax) throw invalidBackup('its first line is not a header')
    }
    if (rest + decoder.decode() !== '') throw invalidBackup('it is cut off')
  } catch (error) {
    throw fileProblem(error, file)
  } finally {
    source.destroy()
    plain.destroy()
  }
}

/** Bounds what a foreign file without lines can cost in memory; a real header has some two hundred characters. */
const headerLengthMax = 100_000

function fileProblem(error: unknown, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT') return new DomainError('invalid_backup', `There is no file ${file}.`)
  if (code === 'EISDIR') return new DomainError('invalid_backup', `${file} is a folder, not a backup.`)
  if (code === 'Z_BUF_ERROR') return invalidBackup('it is cut off', { cause: error })
  if (code.startsWith('Z_')) return invalidBackup('it is damaged or something else', { cause: error })
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return invalidBackup('it is not text', { cause: error })
  return error
}
