import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { zoneDays } from './zone-day.ts'

const day = 86_400_000
const dayNumber = (year: number, month: number, date: number) => Date.UTC(year, month - 1, date) / day

describe('zoneDays', () => {
  it('cuts the day at local midnight at both ends of the earth (R043)', () => {
    const line = zoneDays('Pacific/Kiritimati')
    expect(line(Date.parse('2026-03-12T09:59:59.999Z'))).toBe(dayNumber(2026, 3, 12))
    expect(line(Date.parse('2026-03-12T10:00:00.000Z'))).toBe(dayNumber(2026, 3, 13))
    const johns = zoneDays('America/St_Johns')
    expect(johns(Date.parse('2026-01-12T03:29:59.999Z'))).toBe(dayNumber(2026, 1, 11))
    expect(johns(Date.parse('2026-01-12T03:30:00.000Z'))).toBe(dayNumber(2026, 1, 12))
  })

  it('follows summer time on the day it begins and on the day it ends', () => {
    const athens = zoneDays('Europe/Athens')
    expect(athens(Date.parse('2026-03-28T21:59:59Z'))).toBe(dayNumber(2026, 3, 28))
    expect(athens(Date.parse('2026-03-28T22:00:00Z'))).toBe(dayNumber(2026, 3, 29))
    expect(athens(Date.parse('2026-03-29T20:59:59Z'))).toBe(dayNumber(2026, 3, 29))
    expect(athens(Date.parse('2026-03-29T21:00:00Z'))).toBe(dayNumber(2026, 3, 30))
    expect(athens(Date.parse('2026-10-25T21:59:59Z'))).toBe(dayNumber(2026, 10, 25))
    expect(athens(Date.parse('2026-10-25T22:00:00Z'))).toBe(dayNumber(2026, 10, 26))
  })

  it('agrees with Intl at every instant', () => {
    for (const timeZone of [
      'America/St_Johns',
      'Pacific/Kiritimati',
      'Africa/Casablanca',
      'Asia/Kathmandu',
    ]) {
      const dayOf = zoneDays(timeZone)
      const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
      const instants = fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2030, 0, 1) })
      fc.assert(
        fc.property(instants, (instant) => {
          expect(new Date(dayOf(instant) * day).toISOString().slice(0, 10)).toBe(format.format(instant))
        }),
      )
    }
  })
})
