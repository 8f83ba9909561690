import { describe, expect, it } from 'vitest'
import { readPlannedTime } from './planned-time.ts'

const read = (text: string) => {
  const said = readPlannedTime(text)
  return typeof said === 'string' ? said : { ...said, at: said.at.toISOString() }
}

describe('a planned time', () => {
  it.each([
    ['2026-12-01T09:00:00Z', '2026-12-01T09:00:00.000Z', null],
    ['2026-12-01T09:00:00.250Z', '2026-12-01T09:00:00.250Z', null],
    ['2026-12-01T09:00:00.123456789Z', '2026-12-01T09:00:00.123Z', null],
    ['2026-12-01T09:00+09:00', '2026-12-01T00:00:00.000Z', null],
    ['2026-12-01T09:00:00-03:30', '2026-12-01T12:30:00.000Z', null],
    ['2026-12-01T09:00[Asia/Tokyo]', '2026-12-01T00:00:00.000Z', 'Asia/Tokyo'],
    ['2026-12-01T09:00[!asia/tokyo]', '2026-12-01T00:00:00.000Z', 'Asia/Tokyo'],
    ['2026-12-01T09:00:00+09:00[Asia/Tokyo]', '2026-12-01T00:00:00.000Z', 'Asia/Tokyo'],
    ['2026-12-01T09:00:00Z[Asia/Tokyo]', '2026-12-01T09:00:00.000Z', 'Asia/Tokyo'],
    ['2026-10-25T02:30+01:00[Europe/Berlin]', '2026-10-25T01:30:00.000Z', 'Europe/Berlin'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z', null],
  ])('%s is %s', (text, at, timeZone) => {
    expect(read(text)).toEqual({ at, timeZone, timeInGap: null })
  })

  it('that clocks leave out is the first instant after the gap, and says what was asked for', () => {
    expect(read('2027-03-28T02:30[Europe/Berlin]')).toEqual({
      at: '2027-03-28T01:00:00.000Z',
      timeZone: 'Europe/Berlin',
      timeInGap: '2027-03-28T02:30',
    })
  })

  it('that occurs twice is the first of the two', () => {
    expect(read('2026-10-25T02:30[Europe/Berlin]')).toMatchObject({ at: '2026-10-25T00:30:00.000Z' })
  })

  it.each([
    ['tomorrow', 'must be a time with'],
    ['', 'must be a time with'],
    ['2026-12-01', 'must be a time with'],
    ['2026-12-01T09:00.5Z', 'must be a time with'],
    ['2026-12-01T09:00+9:00', 'must be a time with'],
    ['2026-12-01T09:00+24:00', 'must be a time with'],
    ['2026-12-01T09:00[Asia/Tokyo][u-ca=japanese]', 'must be a time with'],
    ['10000-01-01T00:00:00Z', 'must be a time with'],
    ['2026-02-30T09:00Z', 'does not exist'],
    ['2026-13-01T09:00Z', 'does not exist'],
    ['2026-12-01T24:00Z', 'does not exist'],
    ['2026-12-01T09:60Z', 'does not exist'],
    ['2026-12-01T09:00', 'must name an offset or a zone'],
    ['2026-12-01T09:00[Nowhere/Land]', 'zone that is not known'],
    ['2026-12-01T09:00[+09:00]', 'zone that is not known'],
    ['2026-12-01T09:00+01:00[Asia/Tokyo]', 'offset that its zone does not have'],
    ['2027-03-28T02:30+01:00[Europe/Berlin]', 'offset that its zone does not have'],
    ['1969-12-31T23:59:59Z', 'between the years'],
    ['9999-12-31T23:59:59-01:00', 'between the years'],
    ['0001-01-01T00:00[Asia/Tokyo]', 'between the years'],
  ])('%j is refused: %s', (text, words) => {
    expect(read(text)).toEqual(expect.stringContaining(words))
  })
})
