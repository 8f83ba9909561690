import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ICruiseResult, IViolation } from 'dependency-cruiser'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
export const sourceFolders = ['shared', 'bff', 'web', 'e2e', 'bench', 'docs']

const require = createRequire(import.meta.url)

/** One broken rule, readable in a failed assertion. */
export interface Breach {
  rule: string
  from: string
  to: string
}

/** The names of every rule of the import law. */
export async function ruleNames(): Promise<string[]> {
  const { forbidden } = await readLaw()
  return (forbidden ?? []).map((rule) => rule.name ?? 'unnamed')
}

/** Holds the tree under `baseDir` against the import law and lists every breach. */
export async function cruiseTree(baseDir: string): Promise<{ breaches: Breach[]; filesSeen: number }> {
  const { cruise } = await loadCruiser()
  const { forbidden, options } = await readLaw()
  const { tsConfig: _, enhancedResolveOptions, ...rest } = options ?? {}
  const folders = sourceFolders.filter((folder) => existsSync(join(baseDir, folder)))
  const { output } = await cruise(
    folders,
    { ...rest, baseDir, validate: true, ruleSet: { forbidden: forbidden ?? [] } },
    enhancedResolveOptions,
  )
  if (typeof output === 'string') throw new Error(`expected a cruise result, got text: ${output}`)
  return { breaches: breachesOf(output), filesSeen: output.summary.totalCruised }
}

function breachesOf(result: ICruiseResult): Breach[] {
  return result.summary.violations.map(({ rule, from, to }: IViolation) => ({ rule: rule.name, from, to }))
}

async function readLaw() {
  const { default: read } = await import('dependency-cruiser/config-utl/extract-depcruise-config')
  return read(join(root, '.dependency-cruiser.cjs'))
}

/**
 * The cruiser's version 16 refuses to look at TypeScript 6, though it only asks its parser for the imports of a
 * file, which did not change. Raised here, before it is loaded; the probes prove that it sees every kind of import.
 */
async function loadCruiser() {
  const path = join(root, 'node_modules/dependency-cruiser/src/meta.cjs')
  const meta: { supportedTranspilers: Record<string, string> } = require(path)
  meta.supportedTranspilers.typescript = '>=2.0.0 <7.0.0'
  return import('dependency-cruiser')
}
