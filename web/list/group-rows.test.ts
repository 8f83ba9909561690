import { expect, it } from 'vitest'
import { fieldFlags } from '../../shared/observe.ts'
import { groupRows, type ListedState, type ListFilter } from './group-rows.ts'

const states: Readonly<Record<string, ListedState>> = {
  settled: { state: 'succeeded', flags: 0 },
  fresh: { state: 'succeeded', flags: fieldFlags.unseen },
  broken: { state: 'failed', flags: 0 },
  runs: { state: 'running', flags: 0 },
  lingers: { state: 'running', flags: 0 },
  waits: { state: 'queued', flags: 0 },
  held: { state: 'queued', flags: fieldFlags.held },
  given: { state: 'cancelled', flags: 0 },
}
const ids = Object.keys(states)
const rows = (filter: ListFilter, of = ids) =>
  groupRows(
    of,
    (id) => states[id],
    (id) => id === 'lingers',
    filter,
  )
const words = (filter: ListFilter) =>
  rows(filter).items.map((item) => (item.kind === 'group' ? `# ${item.group} ${item.count}` : item.promptId))

it('what asks for a person comes first, newest first within a group', () => {
  expect(words('all')).toEqual([
    '# needs-you 3',
    'held',
    'lingers',
    'broken',
    '# at-work 1',
    'runs',
    '# waiting 1',
    'waits',
    '# answered 2',
    'fresh',
    'settled',
    '# cancelled 1',
    'given',
  ])
})

it('a filter leaves the counts as they are', () => {
  expect(words('new')).toEqual(['# answered 1', 'fresh'])
  expect(words('waiting')).toEqual(['# waiting 1', 'waits'])
  expect(rows('waiting').counts).toEqual(rows('all').counts)
  expect(rows('all').counts).toMatchObject({ all: 8, new: 1, 'needs-you': 3, answered: 2 })
})

it('empty groups are left out, and so is what is not known yet', () => {
  expect(rows('all', ['waits', 'unheard-of']).items).toHaveLength(2)
  expect(rows('all', []).items).toEqual([])
})
