import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResponseDelta } from '../../shared/change.ts'
import type { PromptView } from '../../shared/prompt-view.ts'
import { applyChange, type KnownPrompt, type PromptChange } from './apply-change.ts'
import { idOf, makeView } from './testing/make-view.ts'

const unknown: KnownPrompt = { view: undefined, live: undefined, seenJobs: [] }

function knownAfter(changes: readonly PromptChange[], known = unknown): KnownPrompt {
  return changes.reduce((state, change) => {
    const writes = applyChange(state, change)
    return {
      view: writes.view ?? state.view,
      live: writes.live === undefined ? state.live : (writes.live ?? undefined),
      seenJobs: writes.seenJobs ?? state.seenJobs,
    }
  }, known)
}

const viewed = (over: Partial<PromptView>): PromptChange => ({ kind: 'view', view: makeView(1, over) })

/** One prompt's life with a retry, as the server would tell it, and the mark that its last answer was seen. */
const firstJob = idOf(0x1001)
const secondJob = idOf(0x2001)
const earlier = [{ job_id: firstJob, outcome: 'failed' as const, at: '2026-03-01T08:01:00.000Z' }]
const story: readonly PromptChange[] = [
  viewed({ revision: 1 }),
  viewed({ revision: 2, state: 'running' }),
  viewed({ revision: 3, state: 'queued', attempt: 2 }),
  viewed({ revision: 4, state: 'running', attempt: 2 }),
  viewed({ revision: 5, state: 'failed', attempt: 2 }),
  viewed({ revision: 6, job_id: secondJob, earlier_jobs: earlier }),
  viewed({ revision: 7, state: 'running', job_id: secondJob, earlier_jobs: earlier }),
  viewed({ revision: 8, state: 'succeeded', job_id: secondJob, earlier_jobs: earlier }),
  { kind: 'seen', jobId: secondJob },
]

/** The story in any order, each part once at least, with any repetitions. */
const shuffled = fc
  .array(fc.nat(story.length - 1), { maxLength: 30 })
  .chain((repeats) =>
    fc.shuffledSubarray(
      [...story.keys(), ...repeats].map((place) => ({ place })),
      { minLength: story.length + repeats.length },
    ),
  )
  .map((places) => places.flatMap(({ place }) => story[place] ?? []))

describe('views', () => {
  // R019, R041
  test('duplicated, reordered and replayed feeds end in the snapshot', () => {
    const snapshot = { ...makeView(1, viewOf(story[7])), seen: true }
    fc.assert(
      fc.property(shuffled, (changes) => {
        expect(knownAfter(changes).view).toEqual(snapshot)
      }),
    )
  })

  test('a feed that is split, and whose beginning is replayed, ends like the whole one', () => {
    fc.assert(
      fc.property(fc.nat(story.length), fc.nat(story.length), (cut, from) => {
        const resumed = [...story.slice(0, cut), ...story.slice(Math.min(cut, from))]
        expect(knownAfter(resumed)).toEqual(knownAfter(story))
      }),
    )
  })

  // R041
  test('no state ever goes backwards, whatever comes late', () => {
    fc.assert(
      fc.property(shuffled, (changes) => {
        let known = unknown
        for (const change of changes) {
          const next = knownAfter([change], known)
          expect(next.view?.revision ?? 0).toBeGreaterThanOrEqual(known.view?.revision ?? 0)
          known = next
        }
      }),
    )
  })

  test('applying a change a second time writes nothing', () => {
    fc.assert(
      fc.property(shuffled, (changes) => {
        const known = knownAfter(changes)
        for (const change of changes) expect(applyChange(known, change)).toEqual({})
      }),
    )
  })

  test('what was only on its way is replaced by whatever the server says first', () => {
    const optimistic = viewed({ revision: -1, thread_title: 'mine' })
    expect(knownAfter([optimistic, viewed({ revision: 0, state: 'running' })]).view?.state).toBe('running')
    expect(knownAfter([viewed({ revision: 0, state: 'running' }), optimistic]).view?.state).toBe('running')
  })

  test('the seen mark and the title count at an equal revision, an older title does not', () => {
    const known = knownAfter([viewed({ revision: 5, state: 'succeeded' })])
    expect(knownAfter([viewed({ revision: 5, seen: true, thread_title: 'new' })], known).view).toMatchObject({
      state: 'succeeded',
      seen: true,
      thread_title: 'new',
    })
    expect(knownAfter([viewed({ revision: 4, thread_title: 'old' })], known)).toEqual(known)
  })

  test('a new answer is unseen again, and a mark that came before its view still counts', () => {
    const seenOnce = knownAfter([
      viewed({ revision: 5, state: 'succeeded' }),
      { kind: 'seen', jobId: firstJob },
    ])
    expect(seenOnce.view?.seen).toBe(true)
    const retried = knownAfter([viewed({ revision: 6, job_id: secondJob })], seenOnce)
    expect(retried.view?.seen).toBe(false)
    const early = knownAfter([
      { kind: 'seen', jobId: secondJob },
      viewed({ revision: 8, state: 'succeeded', job_id: secondJob }),
    ])
    expect(early.view?.seen).toBe(true)
  })
})

describe('live text', () => {
  const words = ['Once ', 'upon ', 'a ', 'time ', 'there ', 'was.']
  const whole = words.join('')
  const running = viewed({ revision: 2, state: 'running' })
  const delta = (seq: number, over: Partial<ResponseDelta> = {}): PromptChange => ({
    kind: 'delta',
    delta: {
      prompt_id: idOf(1),
      job_id: firstJob,
      attempt: 1,
      run: 1,
      seq,
      text: words[seq] ?? '',
      whole: false,
      tokens: seq + 1,
      ...over,
    },
  })
  const textOf = (changes: readonly PromptChange[], known = unknown) => knownAfter(changes, known).live?.text

  test('is at every moment a beginning of the answer that never gets shorter, and in the end all of it', () => {
    const parts = [...words.keys()].flatMap((seq) => [delta(seq), delta(seq)])
    const draft = delta(2, { text: words.slice(0, 3).join(''), whole: true })
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...parts, draft], { minLength: parts.length + 1 }),
        fc.array(fc.constantFrom(...parts)),
        (changes, repeats) => {
          let known = knownAfter([running])
          for (const change of [...changes, ...repeats]) {
            const next = knownAfter([change], known)
            const [text, before] = [next.live?.text ?? '', known.live?.text ?? '']
            expect(whole.startsWith(text)).toBe(true)
            expect(text.length).toBeGreaterThanOrEqual(before.length)
            known = next
          }
          expect(known.live?.text).toBe(whole)
        },
      ),
    )
  })

  test('a gap asks for the draft, which fills it and takes up what came meanwhile', () => {
    const known = knownAfter([running, delta(0)])
    const gapped = applyChange(known, delta(2))
    expect(gapped.refetch).toBe(true)
    expect(gapped.live?.text).toBe('Once ')
    const draft = delta(1, { text: 'Once upon ', whole: true })
    expect(textOf([delta(2), delta(3), draft], known)).toBe('Once upon a time ')
  })

  test('a first delta in the middle is a gap too', () => {
    expect(applyChange(knownAfter([running]), delta(3)).refetch).toBe(true)
  })

  test('tokens of a text that was not asked for count, and leave no hole behind them unnoticed', () => {
    const known = knownAfter([running, delta(0, { text: '', tokens: 40 })])
    expect(known.live).toMatchObject({ tokens: 40, text: '', seq: -1 })
    expect(applyChange(known, delta(1)).refetch).toBe(true)
  })

  test('a later run starts anew, an older one is dropped', () => {
    const known = knownAfter([running, delta(0), delta(1), delta(0, { run: 2, text: 'Again' })])
    expect(known.live).toMatchObject({ run: 2, text: 'Again' })
    expect(knownAfter([delta(2)], known)).toEqual(known)
  })

  test('what arrives after the end is dropped: of a settled job, a requeued run, a replaced job', () => {
    const settledView = knownAfter([running, delta(0), viewed({ revision: 3, state: 'succeeded' })])
    expect(settledView.live).toMatchObject({ isOver: true, text: '' })
    expect(knownAfter([delta(1), delta(0, { run: 2 })], settledView)).toEqual(settledView)

    const requeued = knownAfter([running, delta(0), viewed({ revision: 3, state: 'queued', attempt: 2 })])
    expect(knownAfter([delta(1)], requeued)).toEqual(requeued)
    expect(textOf([delta(0, { run: 2, attempt: 2, text: 'Anew' })], requeued)).toBe('Anew')

    const retried = knownAfter([viewed({ revision: 6, job_id: secondJob, earlier_jobs: earlier })], requeued)
    expect(retried.live).toBeUndefined()
    expect(knownAfter([delta(1)], retried)).toEqual(retried)
  })

  test('text that comes before the view of its job is kept for it', () => {
    const known = knownAfter([viewed({ revision: 1 }), delta(0), running])
    expect(known.live).toMatchObject({ text: 'Once ', isOver: false })
  })
})

function viewOf(change: PromptChange | undefined): Partial<PromptView> {
  return change?.kind === 'view' ? change.view : {}
}
