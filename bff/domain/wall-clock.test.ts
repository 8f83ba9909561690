import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { instantOfWallClock, timeZoneNamed, wallClockAt, wallClockText } from './wall-clock.ts'

const wall = (text: string) => Date.parse(`${text}Z`)
const instantOf = (text: string, timeZone: string) => {
  const { atMs, inGap } = instantOfWallClock(wall(text), timeZone)
  return `${new Date(atMs).toISOString()}${inGap ? ' in a gap' : ''}`
}

describe('a time on the wall', () => {
  it.each([
    ['2026-12-01T09:00', 'Asia/Tokyo', '2026-12-01T00:00:00.000Z'],
    ['2026-07-01T09:00', 'Europe/Lisbon', '2026-07-01T08:00:00.000Z'],
    ['2026-12-01T09:00', 'Asia/Kathmandu', '2026-12-01T03:15:00.000Z'],
    ['2026-12-01T00:00', 'Pacific/Kiritimati', '2026-11-30T10:00:00.000Z'],
    ['2026-12-01T23:30', 'Pacific/Pago_Pago', '2026-12-02T10:30:00.000Z'],
  ])('%s in %s is %s', (text, zone, instant) => {
    expect(instantOf(text, zone)).toBe(instant)
  })

  // R091
  it.each([
    ['2027-03-28T02:30', 'Europe/Berlin', '2027-03-28T01:00:00.000Z'],
    ['2027-03-28T02:00', 'Europe/Berlin', '2027-03-28T01:00:00.000Z'],
    ['2027-03-14T02:30', 'America/New_York', '2027-03-14T07:00:00.000Z'],
    ['2026-10-04T02:15', 'Australia/Lord_Howe', '2026-10-03T15:30:00.000Z'],
    ['2011-12-30T12:00', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ])('%s, which %s leaves out, is the first instant after the gap', (text, zone, instant) => {
    expect(instantOf(text, zone)).toBe(`${instant} in a gap`)
  })

  it.each([
    ['2027-03-28T03:00', 'Europe/Berlin', '2027-03-28T01:00:00.000Z'],
    ['2026-10-04T02:30', 'Australia/Lord_Howe', '2026-10-03T15:30:00.000Z'],
  ])('%s in %s, where the gap ends, is no gap', (text, zone, instant) => {
    expect(instantOf(text, zone)).toBe(instant)
  })

  it.each([
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
    ['2027-04-04T01:45', 'Australia/Lord_Howe', '2027-04-03T14:45:00.000Z'],
  ])('%s, which %s shows twice, is the first of the two', (text, zone, instant) => {
    expect(instantOf(text, zone)).toBe(instant)
  })

  it('is what a clock shows at the instant it means, wherever it is shown at all', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Tokyo', 'UTC']
    const minutes = fc.integer({ min: 0, max: 200 * 365 * 24 * 60 })
    fc.assert(
      fc.property(minutes, fc.constantFrom(...zones), (minute, zone) => {
        const shown = wallClockAt(minute * 60_000, zone)
        const { atMs, inGap } = instantOfWallClock(shown, zone)
        expect([inGap, wallClockAt(atMs, zone)]).toEqual([false, shown])
        expect(atMs).toBeLessThanOrEqual(minute * 60_000)
      }),
    )
  })
})

it('says seconds only where there are any', () => {
  expect(wallClockText(wall('2027-03-28T02:30:00'))).toBe('2027-03-28T02:30')
  expect(wallClockText(wall('2027-03-28T02:30:05'))).toBe('2027-03-28T02:30:05')
})

it('knows zones by their names, in any case, and aliases as they were written', () => {
  expect(timeZoneNamed('europe/berlin')).toBe('Europe/Berlin')
  expect(timeZoneNamed('Asia/Kolkata')).toBe('Asia/Kolkata')
  expect(timeZoneNamed('UTC')).toBe('UTC')
})

it.each(['', 'Nowhere/Land', '+09:00', 'UTC+9', 'Asia/Tokyo\n', '../etc/passwd', 'x'.repeat(200)])(
  '%j is no zone',
  (text) => {
    expect(timeZoneNamed(text)).toBeNull()
  },
)
