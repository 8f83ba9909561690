import { fsyncSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import * as z from 'zod/mini'

/**
 * What the embedded database guarantees. `verified`: a commit at start was seen to sync to disk. `off`: not asked
 * for; the system decides when rows reach the disk. `unverified`: asked for, but not seen; `reason` says why.
 */
export interface DiskSyncReport {
  diskSync: 'verified' | 'off' | 'unverified'
  reason?: string
}

/**
 * A directory as PGlite's file system whose `fsync` reaches the disk. As delivered PGlite never syncs: it starts
 * PostgreSQL with `-F`, its file system has no fsync operation, and its `fdatasync` reports success without doing
 * anything. So this supplies the operation, `syncStartParams` drops `-F` and asks for `fsync`, and, since all that
 * leans on the inside of one version, `verifyDiskSync` watches a real commit.
 */
export class SyncingFileSystem extends NodeFS {
  /** Real fsyncs so far. */
  syncs = 0
  /** Null once the operation is in place, else what stood in the way. */
  obstacle: string | null = 'PGlite did not call its file system'

  override async init(...[pglite, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pglite, options)
    const supply = (module: unknown): void => {
      this.obstacle = this.#supplyFsync(module)
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [supply, ...listOf(emscriptenOpts.preRun)] } }
  }

  #supplyFsync(module: unknown): string | null {
    const parsed = moduleWithNodeFs.safeParse(module)
    if (!parsed.success) return 'PGlite has no file system of the known shape'
    const { ErrnoError, filesystems } = parsed.data.FS
    filesystems.NODEFS.stream_ops.fsync = (stream: unknown): number => {
      try {
        fsyncSync(openFile.parse(stream).nfd)
      } catch (error) {
        throw errnoError(ErrnoError, error)
      }
      this.syncs += 1
      return 0
    }
    return null
  }
}

export function syncStartParams(): string[] {
  return [
    ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
    ...['-c', 'fsync=on', '-c', 'wal_sync_method=fsync', '-c', 'synchronous_commit=on'],
  ]
}

/** Commits something and looks whether the disk was told. */
export async function verifyDiskSync(pglite: PGlite, files: SyncingFileSystem): Promise<DiskSyncReport> {
  if (files.obstacle !== null) return { diskSync: 'unverified', reason: files.obstacle }
  const before = files.syncs
  await pglite.query(`select pg_logical_emit_message(true, 'mission-field', 'disk sync')`)
  return files.syncs > before
    ? { diskSync: 'verified' }
    : { diskSync: 'unverified', reason: 'a commit reached the disk without fsync' }
}

const moduleWithNodeFs = z.looseObject({
  FS: z.custom<FileSystemParts>(
    (value) => isObject(value) && typeof value.ErrnoError === 'function' && hasNodeFs(value.filesystems),
  ),
})

/** The part of Emscripten's file system that is used here, checked before use. */
interface FileSystemParts {
  ErrnoError: new (errno: number) => Error
  filesystems: { NODEFS: { stream_ops: Record<string, unknown> } }
}

function hasNodeFs(filesystems: unknown): boolean {
  return isObject(filesystems) && isObject(filesystems.NODEFS) && isObject(filesystems.NODEFS.stream_ops)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

const openFile = z.object({ nfd: z.int() })

/** WASI's numbers, which PostgreSQL was compiled with; what is not listed counts as an input/output error. */
const errnos: Readonly<Record<string, number>> = { EBADF: 8, EINVAL: 28, EIO: 29, ENOSPC: 51, EROFS: 69 }

function errnoError(ErrnoError: FileSystemParts['ErrnoError'], error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'EIO'
  return new ErrnoError(errnos[code] ?? 29)
}

function listOf<T>(value: T | T[] | undefined): T[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}
