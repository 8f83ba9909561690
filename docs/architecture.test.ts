import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { cruiseTree, root, ruleNames } from './architecture-probes/cruise-tree.ts'
import { lawful, probes } from './architecture-probes/probes.ts'

test('the tree keeps the import law', { timeout: 120_000 }, async () => {
  const { breaches, filesSeen } = await cruiseTree(root)
  expect(breaches).toEqual([])
  expect(filesSeen).toBeGreaterThan(40)
})

test('every rule of the import law has a probe', async () => {
  const probed = new Set(probes.map((probe) => probe.rule))
  expect([...probed].sort()).toEqual((await ruleNames()).sort())
})

const named = probes.map((probe) => [`${probe.rule} is broken when ${probe.says}`, probe] as const)

test.for(named)('%s', async ([, { rule, files }]) => {
  const { breaches } = await cruiseWritten(files)
  expect(breaches.map((breach) => breach.rule)).toContain(rule)
})

test('a tree that keeps to the layers breaks no rule', async () => {
  const { breaches, filesSeen } = await cruiseWritten(lawful)
  expect(breaches).toEqual([])
  expect(filesSeen).toBeGreaterThanOrEqual(Object.keys(lawful).length)
})

async function cruiseWritten(files: Record<string, string>) {
  const tree = mkdtempSync(join(tmpdir(), 'mission-probe-'))
  try {
    writeFileSync(join(tree, 'package.json'), '{ "type": "module" }\n')
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, path)), { recursive: true })
      writeFileSync(join(tree, path), text)
    }
    return await cruiseTree(tree)
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}
