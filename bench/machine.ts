import { cpus, release, totalmem } from 'node:os'

/** What a figure was measured on; without it a figure says nothing. */
export function machine(): { cpu: string; cores: number; memoryGiB: number; os: string; node: string } {
  const all = cpus()
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    os: `${process.platform} ${release()}`,
    node: process.version,
  }
}
