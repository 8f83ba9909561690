import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { transitions } from '../bff/domain/job-state.ts'
import { root } from './architecture-probes/cruise-tree.ts'

const pages = ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/job-states.md']

test('the diagram of job states has exactly the moves of the table', () => {
  const drawn = [...read('docs/job-states.md').matchAll(/^ *(\w+) --> (\w+): (\S+)$/gm)].map(
    ([, from, to, event]) => `${from} --> ${to}: ${event}`,
  )
  const moves = transitions.map(({ from, to, event }) => `${from} --> ${to}: ${event}`)
  expect(drawn.sort()).toEqual(moves.sort())
})

test.for(pages)('%s names only files that exist', (page) => {
  const named = [...read(page).matchAll(/`((?:bff|web|shared|docs|e2e|bench|\.ci)\/[\w./-]*)`/g)].map(
    ([, path]) => path ?? '',
  )
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
