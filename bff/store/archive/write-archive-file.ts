import { randomUUID } from 'node:crypto'
import { createWriteStream, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { syncPath } from '../database/pglite/sync-tree.ts'

/**
 * Writes `lines` to `name` in `folder`, for its owner only. Once this has resolved the file is on the disk, whole and
 * under its name; an older one of that name is replaced. A file that could not be finished is not left behind.
 */
export async function writeArchiveFile(
  folder: string,
  name: string,
  lines: AsyncIterable<string>,
): Promise<string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, name)
  const draft = `${file}.${randomUUID()}.partial`
  try {
    await pipeline(Readable.from(lines), createWriteStream(draft, { mode: 0o600, flags: 'wx' }))
    syncPath(draft)
    renameSync(draft, file)
    syncPath(folder)
    return file
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
