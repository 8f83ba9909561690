import { describe, expect, it } from 'vitest'
import {
  aboutText,
  bandText,
  clockText,
  dateText,
  durationText,
  fineDurationText,
  ordinalText,
  utcText,
  whenText,
} from './time-text.ts'

const at = (iso: string) => Date.parse(iso)
const plain = (text: string) => text.replaceAll('\u00a0', ' ')
const when = (instant: string, timeZone: string, now: string) =>
  plain(whenText(at(instant), { timeZone, nowMs: at(now) }))

describe('whenText', () => {
  it('is a clock today, a weekday within six days, else a date', () => {
    const now = '2026-03-12T13:04:00Z'
    expect(when('2026-03-12T12:22:00Z', 'Europe/Athens', now)).toBe('14:22')
    expect(when('2026-03-11T19:10:00Z', 'Europe/Athens', now)).toBe('Wed 21:10')
    expect(when('2026-03-06T19:10:00Z', 'Europe/Athens', now)).toBe('Fri 21:10')
    expect(when('2026-03-05T19:10:00Z', 'Europe/Athens', now)).toBe('5 March')
    expect(when('2025-12-31T19:10:00Z', 'Europe/Athens', now)).toBe('31 December 2025')
    expect(when('2026-03-13T05:00:00Z', 'Europe/Athens', now)).toBe('Fri 07:00')
  })

  it('cuts the day where the reader is, 26 hours apart at the ends of the earth (R043)', () => {
    const now = '2026-03-12T10:30:00Z'
    expect(when('2026-03-12T09:59:00Z', 'Pacific/Kiritimati', now)).toBe('Thu 23:59')
    expect(when('2026-03-12T10:00:00Z', 'Pacific/Kiritimati', now)).toBe('00:00')
    expect(when('2026-03-12T02:29:00Z', 'America/St_Johns', now)).toBe('Wed 23:59')
    expect(when('2026-03-12T02:30:00Z', 'America/St_Johns', now)).toBe('00:00')
  })

  it('reads the repeated hour as the clock on the wall does', () => {
    expect(when('2026-10-25T00:30:00Z', 'Europe/Athens', '2026-10-25T12:00:00Z')).toBe('03:30')
    expect(when('2026-10-25T01:30:00Z', 'Europe/Athens', '2026-10-25T12:00:00Z')).toBe('03:30')
    expect(when('2026-03-08T05:59:00Z', 'America/St_Johns', '2026-03-08T12:00:00Z')).toBe('03:29')
    expect(when('2026-03-08T05:29:00Z', 'America/St_Johns', '2026-03-08T12:00:00Z')).toBe('01:59')
  })
})

describe('bandText', () => {
  it('names today and yesterday, and the year where it is another', () => {
    const reading = { timeZone: 'Pacific/Kiritimati', nowMs: at('2026-01-01T10:30:00Z') }
    const day = (iso: string) => Date.parse(iso) / 86_400_000
    const read = (iso: string) => {
      const { head, rest } = bandText(day(iso), reading)
      return [plain(head), rest === null ? null : plain(rest)]
    }
    expect(read('2026-01-02')).toEqual(['Today', 'Fri 2 Jan'])
    expect(read('2026-01-01')).toEqual(['Yesterday', 'Thu 1 Jan'])
    expect(read('2025-09-30')).toEqual(['Tue 30 Sep 2025', null])
  })
})

describe('durations', () => {
  it('name the two largest units', () => {
    const cases: [number, string][] = [
      [400, '0 s'],
      [38_000, '38 s'],
      [59_999, '59 s'],
      [540_000, '9 min'],
      [8_040_000, '2 h 14 min'],
      [7_200_000, '2 h'],
      [273_600_000, '3 d 4 h'],
      [-5, '0 s'],
    ]
    for (const [ms, text] of cases) expect(plain(durationText(ms))).toBe(text)
  })
  it('are finer for attempts', () => {
    expect([9, 400, 1_100, 9_960, 55_000].map((ms) => plain(fineDurationText(ms)))).toEqual([
      '9 ms',
      '0.4 s',
      '1.1 s',
      '9 s',
      '55 s',
    ])
  })
  it('promise only what can be kept', () => {
    expect([500, 4_200, 33_000, 61_000, 150_000].map((ms) => plain(aboutText(ms)))).toEqual([
      'about 1 s',
      'about 5 s',
      'about 40 s',
      'about 2 min',
      'about 3 min',
    ])
  })
  it('keep figure and unit on one line', () => {
    expect(durationText(38_000)).toBe('38\u00a0s')
  })
})

describe('other figures', () => {
  it('are read as people write them', () => {
    expect([1, 2, 3, 4, 11, 21, 112, 1_003].map(ordinalText)).toEqual([
      '1st',
      '2nd',
      '3rd',
      '4th',
      '11th',
      '21st',
      '112th',
      '1,003rd',
    ])
    expect(clockText(at('2026-03-12T12:22:06Z'), 'UTC', true)).toBe('12:22:06')
    expect(
      plain(
        dateText(at('2026-03-10T23:00:00Z'), {
          timeZone: 'Europe/Athens',
          nowMs: at('2026-03-12T00:00:00Z'),
        }),
      ),
    ).toBe('11 March')
    expect(utcText(at('2026-03-12T13:04:05.678Z'))).toBe('2026-03-12 13:04:05 UTC')
  })
})
