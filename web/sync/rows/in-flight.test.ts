import { expect, test } from 'vitest'
import type { WaitReason } from '../../../shared/wait-reason.ts'
import { idOf, makeView } from '../testing/make-view.ts'
import { inFlight } from './in-flight.ts'

const nowMs = Date.parse('2026-03-01T09:00:00.000Z')
const inMs = (ms: number) => new Date(nowMs + ms).toISOString()
const waiting = (reason: WaitReason | null) => makeView(1, { wait_reason: reason })

const moving: WaitReason[] = [
  { code: 'in_line' },
  { code: 'rate_limit', provider: 'p', until: inMs(3_600_000) },
  { code: 'org_limit' },
  { code: 'backoff', at: inMs(600_000) },
  { code: 'after', prompt_id: idOf(2) },
  { code: 'scheduled', at: inMs(60_000) },
  { code: 'scheduled', at: inMs(-5_000) },
]

test.for(moving.map((reason) => [reason.code, reason] as const))(
  'a prompt that waits, %s, is in flight',
  ([, reason]) => {
    expect(inFlight([waiting(reason)], nowMs)).toEqual({ now: true, nextAtMs: null })
  },
)

test('what runs is, and what nothing is known of may be', () => {
  expect(inFlight([makeView(1, { state: 'running' })], nowMs).now).toBe(true)
  expect(inFlight([undefined], nowMs).now).toBe(true)
})

test('what is settled or held is not', () => {
  const held = waiting({ code: 'held', prompt_id: idOf(2), cause: 'failed' })
  const rest = (['succeeded', 'failed', 'cancelled', 'superseded'] as const).map((state) =>
    makeView(1, { state }),
  )
  expect(inFlight([held, ...rest], nowMs)).toEqual({ now: false, nextAtMs: null })
})

test('later schedules give the time of the first of them', () => {
  const later = [7_200_000, 3_600_000].map((ms) => waiting({ code: 'scheduled', at: inMs(ms) }))
  expect(inFlight(later, nowMs)).toEqual({ now: false, nextAtMs: nowMs + 3_600_000 })
})
