import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { createDatabase } from '../create-database.ts'
import type { Database } from '../database.ts'
import { nestingGuard } from '../nesting-guard.ts'
import { planning } from '../planning.ts'
import { type DiskSyncReport, SyncingFileSystem, syncStartParams, verifyDiskSync } from './disk-sync.ts'
import { takeLock } from './lock-file.ts'
import { pgliteDriver } from './pglite-driver.ts'
import { syncPath, syncTree } from './sync-tree.ts'
import { packedCluster, readPackedCluster, unpackCluster } from './unpack-cluster.ts'

export interface OpenPgliteOptions {
  /** Where the database lives; made with mode 0700 when absent. */
  directory: string
  /** Whether each commit waits until it is on the disk. */
  diskSync: boolean
  /** What this process does, for whoever finds the directory locked: `serves on port 7410`. */
  purpose: string
}

export interface OpenedPglite extends DiskSyncReport {
  database: Database
}

/**
 * Opens the embedded database and locks its directory against every other process until `close`.
 *
 * @throws LockHeldError when a live process has it.
 */
export async function openPglite(options: OpenPgliteOptions): Promise<OpenedPglite> {
  const directory = resolve(options.directory)
  mkdirSync(dirname(directory), { recursive: true, mode: 0o700 })
  const lock = takeLock(directory, options.purpose)
  try {
    if (!existsSync(join(directory, 'PG_VERSION'))) await initialise(directory, options.diskSync)
    const { pglite, report } = await open(directory, options.diskSync)
    const driver = pgliteDriver(pglite)
    const database = createDatabase({
      ...driver,
      async close() {
        try {
          await pglite.exec('checkpoint')
          await driver.close()
        } finally {
          lock.release()
        }
      },
    })
    return { database, ...report }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** A database that is gone when its process is: for tests. `dump` gives what `from` takes. */
export async function openInMemory(
  options: { from?: Blob } = {},
): Promise<{ database: Database; dump(): Promise<Blob> }> {
  const startParams = [...PGlite.defaultStartParams, ...planParams]
  const pglite = await PGlite.create(
    options.from
      ? { loadDataDir: options.from, startParams }
      : { initDbStartParams: ['--wal-segsize=1'], startParams },
  )
  const database = createDatabase(pgliteDriver(pglite), { guard: nestingGuard() })
  return { database, dump: () => pglite.dumpDataDir('none') }
}

/**
 * PGlite copies a fresh database into the directory file by file, `PG_VERSION` early; killed in between it would take
 * the torn one for whole ever after. So that happens beside the directory, which gets its name at the end.
 */
async function initialise(directory: string, diskSync: boolean): Promise<void> {
  const draft = `${directory}.new`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  const archive = packedCluster()
  if (archive) unpackCluster(readPackedCluster(archive), draft)
  else await runWorker(new URL('./initialise-directory.mjs', import.meta.url), draft)
  if (diskSync) syncTree(draft)
  renameSync(draft, directory)
  if (diskSync) syncPath(dirname(directory))
}

async function runWorker(program: URL, workerData: string): Promise<void> {
  // Without the parent's flags: a loader for TypeScript would be of no use there.
  const worker = new Worker(program, { workerData, execArgv: [] })
  await new Promise<void>((resolve, reject) => {
    worker.on('error', reject)
    worker.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`making the database ended with ${code}`)),
    )
  })
}

const planParams = Object.entries(planning).flatMap(([name, value]) => ['-c', `${name}=${value}`])

/** Small buffers and little kept WAL: this is one person's machine, and the files' pages are cached below anyway. */
const sizeParams = ['-c', 'shared_buffers=16MB', '-c', 'max_wal_size=64MB', '-c', 'min_wal_size=32MB']

async function open(
  directory: string,
  diskSync: boolean,
): Promise<{ pglite: PGlite; report: DiskSyncReport }> {
  const files = new SyncingFileSystem(directory)
  const startParams = diskSync ? syncStartParams() : PGlite.defaultStartParams
  const options: PGliteOptions = { fs: files, startParams: [...startParams, ...sizeParams, ...planParams] }
  const pglite = await PGlite.create(options)
  return { pglite, report: diskSync ? await verifyDiskSync(pglite, files) : { diskSync: 'off' } }
}
