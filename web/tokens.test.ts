import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

/** The custom properties of the first rule after a marker. */
function rule(marker: string): Map<string, string> {
  const from = css.indexOf('{', css.indexOf(marker) + marker.length - 1)
  const body = css.slice(from + 1, css.indexOf('}', from))
  return new Map(
    [...body.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value.trim()]),
  )
}

const light = rule(':root {')
const darkBySystem = rule(':root:not([data-theme="light"]) {')
const darkByChoice = rule(':root[data-theme="dark"] {')

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

describe('tokens', () => {
  it('are the same dark, whether the system or the reader asks for it', () => {
    expect(darkByChoice.size).toBeGreaterThan(30)
    expect(darkBySystem).toEqual(darkByChoice)
  })

  it('change every colour for the dark, and nothing that is no colour', () => {
    const colours = [...light].filter(([, value]) => /#|rgba/.test(value)).map(([name]) => name)
    expect([...darkByChoice.keys()].sort()).toEqual(colours.sort())
  })

  describe.each([
    ['light', light],
    ['dark', darkByChoice],
  ])('%s', (_, theme) => {
    const grounds = ['water-0', 'water-4', 'surface', 'surface-2']
    const asked: [number, string[]][] = [
      [4.5, ['ink', 'ink-soft', 'ink-2', 'ink-3', 'alive', 'wait', 'salmon-ink', 'amber-ink', 'confirm']],
      [3, ['settled', 'salmon', 'amber', 'grey', 'line-2', 'focus']],
    ]
    for (const [ratio, names] of asked) {
      it.each(names)(`%s stands out ${ratio} to 1 from every ground`, (name) => {
        for (const ground of grounds)
          expect(contrast(theme.get(name) ?? '', theme.get(ground) ?? '')).toBeGreaterThanOrEqual(ratio)
      })
    }
    it('writes on the main button', () => {
      expect(contrast(theme.get('on-act') ?? '', theme.get('act') ?? '')).toBeGreaterThan(13)
    })
  })
})
