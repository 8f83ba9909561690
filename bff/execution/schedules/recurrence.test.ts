import { describe, expect, it } from 'vitest'
import { goOn, missedMax, recurrenceOf } from './recurrence.ts'

const on = (text: string) => new Date(text)
const recurrence = (cron: string, time_zone: string, now = '2026-03-12T12:00:00Z') =>
  recurrenceOf({ cron, time_zone }, on(now))

/** The times after `from`, in UTC to the minute. */
function times(cron: string, timeZone: string, from: string, count: number): string[] {
  const { next } = recurrence(cron, timeZone)
  const found: string[] = []
  for (let at = next(on(from)); at !== null && found.length < count; at = next(at)) {
    found.push(at.toISOString().replace(':00.000Z', 'Z'))
  }
  return found
}

// R091
describe('a daily time over the days on which clocks change', () => {
  it.each([
    // Berlin: forward on 28 March 2027 at 02:00, back on 25 October 2026 at 03:00.
    ['30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00Z', ['2027-03-28T01:00Z', '2027-03-29T00:30Z']],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
    [
      '0 9 * * *',
      'Europe/Berlin',
      '2027-03-26T12:00Z',
      ['2027-03-27T08:00Z', '2027-03-28T07:00Z', '2027-03-29T07:00Z'],
    ],
    [
      '0 9 * * *',
      'Europe/Berlin',
      '2026-10-23T12:00Z',
      ['2026-10-24T07:00Z', '2026-10-25T08:00Z', '2026-10-26T08:00Z'],
    ],
    // New York: forward on 14 March 2027 at 02:00, back on 1 November 2026 at 02:00.
    ['30 2 * * *', 'America/New_York', '2027-03-13T12:00Z', ['2027-03-14T07:00Z', '2027-03-15T06:30Z']],
    ['30 2 * * *', 'America/New_York', '2026-10-31T12:00Z', ['2026-11-01T07:30Z', '2026-11-02T07:30Z']],
    ['30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', ['2026-11-01T05:30Z', '2026-11-02T06:30Z']],
    [
      '0 9 * * *',
      'America/New_York',
      '2027-03-12T20:00Z',
      ['2027-03-13T14:00Z', '2027-03-14T13:00Z', '2027-03-15T13:00Z'],
    ],
    [
      '0 9 * * *',
      'America/New_York',
      '2026-10-30T20:00Z',
      ['2026-10-31T13:00Z', '2026-11-01T14:00Z', '2026-11-02T14:00Z'],
    ],
    // Lord Howe, half an hour: forward on 4 October 2026 at 02:00, back on 4 April 2027 at 02:00.
    ['30 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', ['2026-10-03T15:30Z', '2026-10-04T15:30Z']],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', ['2026-10-03T15:30Z', '2026-10-04T15:15Z']],
    ['30 2 * * *', 'Australia/Lord_Howe', '2027-04-03T00:00Z', ['2027-04-03T16:00Z', '2027-04-04T16:00Z']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2027-04-03T00:00Z', ['2027-04-03T14:45Z', '2027-04-04T15:15Z']],
    ['0 9 * * *', 'Australia/Lord_Howe', '2026-10-02T23:00Z', ['2026-10-03T22:00Z', '2026-10-04T22:00Z']],
    ['0 9 * * *', 'Australia/Lord_Howe', '2027-04-02T23:00Z', ['2027-04-03T22:30Z', '2027-04-04T22:30Z']],
    // Tokyo changes nothing.
    ['30 2 * * *', 'Asia/Tokyo', '2027-03-27T12:00Z', ['2027-03-27T17:30Z', '2027-03-28T17:30Z']],
    ['0 9 * * *', 'Asia/Tokyo', '2026-10-24T12:00Z', ['2026-10-25T00:00Z', '2026-10-26T00:00Z']],
  ])('%s in %s after %s comes once a day', (cron, zone, from, expected) => {
    expect(times(cron, zone, from, expected.length)).toEqual(expected)
  })

  it.each([
    ['30 2 * * *', '2026-10-25T00:30:00Z'],
    ['30 2 * * *', '2026-10-25T00:45:00Z'],
    ['30 2 * * *', '2026-10-25T01:15:00Z'],
    ['30 2,14 * * *', '2026-10-25T12:00:00Z'],
  ])('%s does not come again at its second 02:30, seen from %s', (cron, from) => {
    const next = times(cron, 'Europe/Berlin', from, 1)
    expect(['2026-10-25T13:30Z', '2026-10-26T01:30Z']).toContain(next[0])
  })

  it('follows the hours as they pass where it repeats', () => {
    expect(times('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30Z', 4)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T01:00Z',
      '2026-10-25T02:00Z',
      '2026-10-25T03:00Z',
    ])
    expect(times('*/30 * * * *', 'Europe/Berlin', '2027-03-28T00:15Z', 3)).toEqual([
      '2027-03-28T00:30Z',
      '2027-03-28T01:00Z',
      '2027-03-28T01:30Z',
    ])
  })
})

describe('what was missed', () => {
  const daily = recurrence('0 9 * * *', 'Asia/Tokyo')

  it('is nothing beside the planned time itself, while the next is still to come', () => {
    expect(goOn(daily, on('2026-03-13T00:00:00Z'), on('2026-03-13T20:00:00Z'))).toEqual({
      next: on('2026-03-14T00:00:00Z'),
      missed: 0,
    })
  })

  it('is counted, and the next time is strictly after now', () => {
    expect(goOn(daily, on('2026-03-13T00:00:00Z'), on('2026-03-17T00:00:00Z'))).toEqual({
      next: on('2026-03-18T00:00:00Z'),
      missed: 4,
    })
  })

  it('is counted up to a limit, however long nothing ran', () => {
    const minutely = recurrence('* * * * *', 'Asia/Tokyo')
    expect(goOn(minutely, on('2026-03-13T00:00:00Z'), on('2036-03-13T00:00:30Z'))).toEqual({
      next: on('2036-03-13T00:01:00Z'),
      missed: missedMax,
    })
  })
})

it('comes strictly after, to the millisecond', () => {
  const { next } = recurrence('0 9 * * *', 'UTC')
  expect(next(on('2026-03-13T08:59:59.999Z'))).toEqual(on('2026-03-13T09:00:00Z'))
  expect(next(on('2026-03-13T09:00:00.000Z'))).toEqual(on('2026-03-14T09:00:00Z'))
  expect(next(on('2026-03-13T09:00:00.001Z'))).toEqual(on('2026-03-14T09:00:00Z'))
})

it('takes what croner takes, in tidy spelling', () => {
  expect(recurrence('  0   9 * *  MON-FRI ', 'asia/tokyo')).toMatchObject({
    cron: '0 9 * * MON-FRI',
    timeZone: 'Asia/Tokyo',
  })
  expect(times('0 9 L * *', 'UTC', '2026-02-01T00:00Z', 2)).toEqual([
    '2026-02-28T09:00Z',
    '2026-03-31T09:00Z',
  ])
  expect(times('0 0 29 2 *', 'UTC', '2097-01-01T00:00Z', 1)).toEqual(['2104-02-29T00:00Z'])
})

it.each([
  ['', 'cron', 'five fields'],
  ['daily', 'cron', 'five fields'],
  ['@daily', 'cron', 'five fields'],
  ['0 9 * *', 'cron', 'five fields'],
  ['0 0 9 * * *', 'cron', 'five fields'],
  ['0 0 9 * * * 2027', 'cron', 'five fields'],
  ['99 9 * * *', 'cron', 'not a cron expression'],
  ['0 9 * * FUNDAY', 'cron', 'not a cron expression'],
  ['0 9 32 * *', 'cron', 'not a cron expression'],
  ['0 9-7 * * *', 'cron', 'not a cron expression'],
  ['*/0 9 * * *', 'cron', 'not a cron expression'],
  ['0 9 * * \u202e', 'cron', 'not a cron expression'],
  ['0 0 30 2 *', 'cron', 'never comes'],
  ['0 0 31 4,6 *', 'cron', 'never comes'],
])('the expression %j is refused, naming %s', (cron, field, words) => {
  expect(() => recurrence(cron, 'UTC')).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      details: { errors: [{ field, message: expect.stringContaining(words) }] },
    }),
  )
})

it.each(['', 'Nowhere/Land', '+09:00', 'UTC+1'])('the zone %j is refused, naming it', (zone) => {
  expect(() => recurrence('0 9 * * *', zone)).toThrow(
    expect.objectContaining({ details: { errors: [expect.objectContaining({ field: 'time_zone' })] } }),
  )
})
