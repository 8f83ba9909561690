import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { Disc } from './disc.tsx'
import { stateWords } from './state-words.ts'
import { Trickle } from './trickle.tsx'

describe('Disc', () => {
  it('has a shape of its own for every state, silent to assistive technology', () => {
    const kinds = ['settled', 'new', 'queued', 'pending', 'external', 'review', 'orphan'] as const
    const rest = ['cancelled', 'superseded', 'truncated', 'promoted', 'unsent', 'raft'] as const
    const drawn = [...kinds, ...rest].map((disc) => renderToStaticMarkup(<Disc look={{ disc }} />))
    expect(new Set(drawn).size).toBe(Object.keys(stateWords).length)
    for (const svg of drawn) expect(svg).toContain('aria-hidden="true"')
  })

  it('writes the place in line into the ring', () => {
    const wait = { kind: 'line', place: 3 } as const
    expect(renderToStaticMarkup(<Disc look={{ disc: 'queued', wait }} />)).toContain('>3</text>')
  })

  it('draws the verdict at the shoulder, and widens the small box for it', () => {
    const look = { disc: 'promoted', verdict: 'confirmed' } as const
    const svg = renderToStaticMarkup(<Disc look={look} mini />)
    expect(svg).toContain('viewBox="9 4 27 27"')
    expect(svg).toContain('var(--confirm)')
  })

  it('gives each prompt its own phase, always the same', () => {
    const phase = (id: string) =>
      /--phase:([\d.]+)/.exec(renderToStaticMarkup(<Disc look={{ disc: 'queued' }} phaseOf={id} />))?.[1]
    expect(phase('a')).toBe(phase('a'))
    expect(new Set(['a', 'b', 'c', 'd'].map(phase)).size).toBe(4)
    expect(Number(phase('a'))).toBeLessThan(1)
  })

  it('fills a raft in proportion to its outcomes', () => {
    const svg = renderToStaticMarkup(<Disc look={{ disc: 'raft' }} raft={{ settled: 4, alive: 1 }} />)
    expect(svg.match(/var\(--settled\)/g)).toHaveLength(4)
    expect(svg.match(/fill="var\(--alive\)"/g)).toHaveLength(1)
    expect(svg.match(/stroke="var\(--wait\)"/g)).toHaveLength(2)
  })
})

describe('Trickle', () => {
  it('shows the end of the text on one line and never cuts a character in two', () => {
    const svg = renderToStaticMarkup(<Trickle text={`${'🥘'.repeat(300)}\n\nthe end`} />)
    expect(svg).toContain('🥘 the end')
    expect(svg.isWellFormed()).toBe(true)
  })
})
