import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DoctorAnswer } from '../../http/admin-contract.ts'
import type { Config } from '../config.ts'
import { version } from '../product-folder.ts'

type Check = DoctorAnswer['checks'][number]

/** What can be told without the data. */
export async function machineChecks(config: Config): Promise<Check[]> {
  const changed = Object.values(config.sources).filter((source) => source !== 'default').length
  return [
    { name: 'version', ok: true, says: `Mission Field ${version}.` },
    nodeCheck(process.versions.node),
    {
      name: 'settings',
      ok: true,
      says: `${changed} set, the others as they come; file: ${config.configFile ?? 'none'}. mission settings lists them.`,
    },
    await folderCheck(config.dataDir),
  ]
}

/** Well unless something is known to be wrong; what could not be told is no fault. */
export function answerOf(checks: Check[]): DoctorAnswer {
  return { ok: checks.every(({ ok }) => ok !== false), checks }
}

function nodeCheck(node: string): Check {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const ok = major > 20 || (major === 20 && minor >= 19)
  return { name: 'node', ok, says: ok ? `${node}.` : `${node} is too old; 20.19 or newer is needed.` }
}

async function folderCheck(folder: string): Promise<Check> {
  const found = await stat(folder).catch(() => null)
  if (!found) return { name: 'data directory', ok: null, says: `${folder} is not there yet.` }
  const mode = found.mode & 0o777
  const size = megabytes(await bytesUnder(folder))
  const isPrivate = process.platform === 'win32' || (mode & 0o077) === 0
  const openness = isPrivate ? '' : `, and others may look into it: chmod 700 ${folder}`
  return {
    name: 'data directory',
    ok: isPrivate,
    says: `${folder}, ${size} MB, mode ${mode.toString(8)}${openness}.`,
  }
}

/** Files come and go while this looks. */
async function bytesUnder(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const file = await lstat(join(entry.parentPath, entry.name)).catch(() => null)
      return file?.isFile() ? file.size : 0
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}
