import { describe, expect, it } from 'vitest'
import type { JobState } from '../../../shared/job.ts'
import { makeView } from '../../sync/testing/make-view.ts'
import { momentOf } from './moments.ts'

const view = (state: JobState) => makeView(1, { state })

describe('a moment', () => {
  it.each<[JobState | null, JobState, string | null]>([
    ['running', 'succeeded', 'settled'],
    ['queued', 'succeeded', 'settled'],
    ['running', 'failed', 'failed'],
    ['running', 'cancelled', null],
    ['succeeded', 'succeeded', null],
    [null, 'succeeded', null],
  ])('from %s to %s is %s', (before, after, moment) => {
    expect(momentOf(before === null ? undefined : view(before), view(after))).toBe(moment)
  })
})
