import { describe, expect, it } from 'vitest'
import { makeView } from '../sync/testing/make-view.ts'
import { latenessText, plannedText } from './planned-words.ts'

const plain = (text: string | null) => text?.replaceAll('\u00a0', ' ')
const inLisbon = { timeZone: 'Europe/Lisbon', nowMs: Date.parse('2026-03-12T12:00:00Z') }
const at = (text: string, more: { time_zone?: string | null; time_in_gap?: string | null } = {}) =>
  plain(plannedText(Date.parse(text), { time_zone: null, time_in_gap: null, ...more }, inLisbon))

// R091
describe('a planned time, read in Lisbon', () => {
  it.each([
    ['2026-03-12T18:00:00Z', null, '18:00'],
    ['2026-03-13T00:00:00Z', 'Asia/Tokyo', 'Fri 00:00 (Fri 09:00 Asia/Tokyo)'],
    ['2026-03-12T14:00:00Z', 'Asia/Tokyo', '14:00 (23:00 Asia/Tokyo)'],
    ['2026-07-01T00:00:00Z', 'Asia/Tokyo', '1 July 01:00 (1 July 09:00 Asia/Tokyo)'],
    ['2026-03-13T00:00:00Z', 'Europe/Lisbon', 'Fri 00:00'],
    ['2026-03-13T00:00:00Z', 'Atlantis/Deep', 'Fri 00:00'],
  ])('%s in the zone %s is %s', (time, time_zone, words) => {
    expect(at(time, { time_zone })).toBe(words)
  })

  it('says which local time it stands in for', () => {
    const gap = { time_zone: 'America/New_York', time_in_gap: '2026-03-15T02:30' }
    expect(at('2026-03-15T07:00:00Z', gap)).toBe(
      'Sun 07:00 (Sun 03:00 America/New_York), as clocks skip 02:30 that day',
    )
  })
})

it('a late run says how late it was, and when it was planned', () => {
  const late = { scheduled_for: '2026-03-12T09:00:00.000Z', late_ms: 3 * 3_600_000 }
  const words = (over: Parameters<typeof makeView>[1]) => plain(latenessText(makeView(1, over), inLisbon))
  expect(words({ ...late, state: 'succeeded' })).toBe('ran 3 h late, planned for 09:00')
  expect(words({ ...late, state: 'running', time_zone: 'Asia/Tokyo' })).toBe(
    'began 3 h late, planned for 09:00 (18:00 Asia/Tokyo)',
  )
  expect(words({ ...late, late_ms: null, state: 'succeeded' })).toBeUndefined()
})
