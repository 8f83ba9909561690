import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { settingsTable } from '../bff/cli/settings/settings-table.ts'
import { transitions } from '../bff/domain/job-state.ts'
import { root } from './architecture-probes/cruise-tree.ts'

/** Pages about how it is now; decisions and the changelog speak of their own time. */
const pages = ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/job-states.md']

test('the diagram of job states has exactly the moves of the table', () => {
  const drawn = [...read('docs/job-states.md').matchAll(/^ *(\w+) --> (\w+): (\S+)$/gm)].map(
    ([, from, to, event]) => `${from} --> ${to}: ${event}`,
  )
  const moves = transitions.map(({ from, to, event }) => `${from} --> ${to}: ${event}`)
  expect(drawn.sort()).toEqual(moves.sort())
})

test('the page on job states says of each event who causes it and whether it spends an attempt', () => {
  const told = rowsOf(read('docs/job-states.md'), 4).map(
    ([event, who, , spends]) => `${event} ${who} ${spends}`,
  )
  const facts = transitions.map(({ event, by, attempts }) => {
    const who = by === 'worker' ? 'a worker' : by
    return `\`${event}\` ${who} ${attempts > 0 ? 'yes' : 'no'}`
  })
  expect(told.sort()).toEqual([...new Set(facts)].sort())
})

test('the README lists every setting with its default and meaning', () => {
  const told = rowsOf(read('README.md'), 3).filter(([name]) => /^`[A-Z_]+`$/.test(name ?? ''))
  const facts = Object.values(settingsTable).map((setting) => [
    `\`${setting.name}\``,
    setting.defaultText,
    setting.meaning,
  ])
  expect(told).toEqual(facts)
})

test('the README lists every verb there is', () => {
  const told = rowsOf(read('README.md'), 2).flatMap(
    ([verb]) => /^`mission ([a-z-]+)/.exec(verb ?? '')?.[1] ?? [],
  )
  const verbs = readdirSync(join(root, 'bff/cli/commands'))
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => file.replace(/\.ts$/, ''))
  expect(told.sort()).toEqual(verbs.sort())
})

test('the page on architecture says which statement sends which signal', () => {
  const told = rowsOf(read('docs/architecture.md'), 2).filter(([file]) =>
    /^`bff\/store\/.*\.ts`$/.test(file ?? ''),
  )
  const facts = sourcesUnder('bff')
    .map((path) => [`\`${path}\``, topicsIn(read(path))])
    .filter(([, topics]) => topics !== '')
  expect(told.sort()).toEqual(facts.sort())
})

test.for(pages)('%s names only files that exist', (page) => {
  const text = read(page)
  const named = [...text.matchAll(/`((?:bff|web|shared|docs|e2e|bench|\.ci)\/[\w./-]*)`/g)].map(
    ([, path]) => path ?? '',
  )
  const linked = [...text.matchAll(/\]\(([^):#]+)\)/g)].map(([, path]) => join(dirname(page), path ?? ''))
  expect([...named, ...linked].filter((path) => !existsSync(join(root, path)))).toEqual([])
})

function topicsIn(text: string): string {
  const topics = [...text.matchAll(/\.signal\(\{ topic: '([a-z-]+)'/g)].map(([, topic]) => `\`${topic}\``)
  return [...new Set(topics)].sort((a, b) => b.localeCompare(a)).join(' ')
}

function sourcesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing\//.test(path))
    .map((path) => `${folder}/${path}`)
}

/** The cells of every table row with so many columns, headings left out. */
function rowsOf(page: string, columns: number): string[][] {
  const isRule = (line = '') => /^\|[-| :]+\|$/.test(line)
  return page
    .split('\n')
    .filter((line, index, lines) => line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1]))
    .map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    )
    .filter((cells) => cells.length === columns)
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
