import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'

/**
 * An empty database as the build packs it beside the built files (`bff/copy-assets.mjs`), so that a first start does
 * not have to run initdb. Null when running from the sources.
 */
export function packedCluster(): string | null {
  const archive = fileURLToPath(new URL('../../empty-cluster.tar.gz', import.meta.url))
  return existsSync(archive) ? archive : null
}

/** Unpacks a dump of PGlite (ustar: files and folders, names from `/`) into an existing, empty directory. */
export function unpackCluster(archive: Uint8Array, directory: string): void {
  const tar = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength)
  for (let at = 0; at + blockBytes <= tar.length && tar[at] !== 0; ) {
    const header = tar.subarray(at, at + blockBytes)
    const path = join(directory, textAt(header, 345, 155), textAt(header, 0, 100))
    if (!path.startsWith(join(directory, '/'))) throw new Error(`the archive reaches outside: ${path}`)
    const bytes = Number.parseInt(textAt(header, 124, 12), 8)
    at += blockBytes
    if (textAt(header, 156, 1) === folderType) mkdirSync(path, { recursive: true, mode: 0o700 })
    else writeFileSync(path, tar.subarray(at, at + bytes), { mode: 0o600 })
    at += Math.ceil(bytes / blockBytes) * blockBytes
  }
}

export function readPackedCluster(archive: string): Uint8Array {
  return gunzipSync(readFileSync(archive))
}

const blockBytes = 512
const folderType = '5'

function textAt(header: Buffer, offset: number, length: number): string {
  const field = header.subarray(offset, offset + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end === -1 ? length : end).trim()
}
