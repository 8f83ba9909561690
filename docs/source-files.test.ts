import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './architecture-probes/cruise-tree.ts'
import { linesOf, type SourceFile, sourceRules } from './architecture-probes/source-rules.ts'

const files = ['shared', 'bff', 'web', 'e2e', 'bench', 'docs', '.ci'].flatMap(sourcesUnder)

test.for(sourceRules.map((rule) => [rule.name, rule] as const))('%s', ([, rule]) => {
  expect(files.flatMap((file) => rule.breaches(file))).toEqual([])
})

test.for(sourceRules.map((rule) => [rule.name, rule] as const))('a breach is noticed: %s', ([, rule]) => {
  expect(rule.breaches(rule.probe)).toHaveLength(1)
})

test('half of the source files have fewer than 120 lines', () => {
  const sizes = files
    .filter(({ path }) => /\.(tsx?|mjs)$/.test(path) && !/\.(test|spec)\.tsx?$/.test(path))
    .map(({ text }) => linesOf(text))
    .sort((a, b) => a - b)
  expect(sizes.length).toBeGreaterThan(40)
  expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThan(120)
})

test('every version in package.json is exact', () => {
  const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(read('package.json'))
  const versions = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'].flatMap((group) =>
    Object.entries(manifest[group] ?? {}),
  )
  expect(versions.length).toBeGreaterThan(20)
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
})

test('packages come from whichever registry the person uses', () => {
  const lock: { packages: Record<string, { resolved?: string }> } = JSON.parse(read('package-lock.json'))
  const hosts = Object.values(lock.packages).filter((entry) => entry.resolved?.includes('://'))
  expect(hosts).toEqual([])
  expect(read('.npmrc')).not.toMatch(/registry *=|_auth|:\/\//)
})

function sourcesUnder(folder: string): SourceFile[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|mjs|cjs|css)$/.test(entry.name))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((path) => !path.startsWith('bff/store/migrations/') && !/(^|\/)(node_modules|dist)\//.test(path))
    .sort()
    .map((path) => ({ path, text: read(path) }))
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
