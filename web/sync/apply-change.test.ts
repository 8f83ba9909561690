import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResponseDelta } from '../../shared/change.ts'
import type { PromptView } from '../../shared/prompt-view.ts'
import { applyChange, type KnownPrompt, type PromptChange } from './apply-change.ts'
import { afterStream } from './rows/live-text.ts'
import { idOf, makeView } from './testing/make-view.ts'

const unknown: KnownPrompt = { view: undefined, live: undefined, seenJobs: [], isDeleted: false }

function knownAfter(changes: readonly PromptChange[], known = unknown): KnownPrompt {
  return changes.reduce((state, change) => {
    const writes = applyChange(state, change)
    if (writes.deleted) return { ...unknown, isDeleted: true }
    return {
      view: writes.view ?? state.view,
      live: writes.live === undefined ? state.live : (writes.live ?? undefined),
      seenJobs: writes.seenJobs ?? state.seenJobs,
      isDeleted: state.isDeleted,
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
  // R089
  test('a deletion ends everything, wherever it stands in the feed', () => {
    const deletion = viewed({ revision: 9, deleted: true, text_excerpt: '' })
    fc.assert(
      fc.property(shuffled, fc.nat(30), (changes, place) => {
        const told = [...changes.slice(0, place), deletion, ...changes.slice(place)]
        expect(knownAfter(told)).toEqual({ ...unknown, isDeleted: true })
      }),
    )
  })

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

  /** One stream: the draft so far up to a word, then the words after it, each told of once. */
  const stream = (from: number) => [
    delta(from, { text: words.slice(0, from + 1).join(''), whole: true }),
    ...[...words.keys()].slice(from + 1).map((seq) => delta(seq)),
  ]

  test('is a beginning of the answer at every moment, with any part lost or doubled, and whole after one good stream', () => {
    const parts = stream(0).flatMap((part) => [part, part])
    fc.assert(
      fc.property(fc.subarray(parts), fc.nat(words.length - 1), (received, from) => {
        let known = knownAfter([running])
        for (const change of received) {
          const next = knownAfter([change], known)
          const [text, before] = [next.live?.text ?? '', known.live?.text ?? '']
          expect(whole.startsWith(text)).toBe(true)
          expect(text.length).toBeGreaterThanOrEqual(before.length)
          known = next
        }
        expect(textOf(stream(from), streamEnded(known))).toBe(whole)
      }),
    )
  })

  test('a gap asks for the text anew and adds nothing until it is there', () => {
    const known = knownAfter([running, delta(0)])
    const gapped = applyChange(known, delta(2))
    expect(gapped).toMatchObject({ refetch: true, live: { text: 'Once ', isJoined: false } })
    expect(textOf([delta(2), delta(3), delta(4)], known)).toBe('Once ')
    const draft: PromptChange = {
      kind: 'draft',
      draft: { job_id: firstJob, run: 1, seq: 99, text: 'Once upon a ' },
    }
    expect(textOf([delta(2), draft], known)).toBe('Once upon a ')
    expect(textOf([delta(2), draft, ...stream(3)], known)).toBe(whole)
  })

  test('a first delta in the middle is a gap too', () => {
    expect(applyChange(knownAfter([running]), delta(3)).refetch).toBe(true)
  })

  test('a new stream counts from its own beginning and takes over with the draft so far', () => {
    const known = streamEnded(knownAfter([running, ...stream(0).slice(0, 4)]))
    const again = [delta(0, { text: 'Once upon a time there ', whole: true }), delta(1, { text: 'was.' })]
    expect(textOf(again, known)).toBe(whole)
    // The same count without the text behind it would add to the wrong place.
    expect(applyChange(known, delta(0)).refetch).toBe(true)
  })

  test('a reading of the draft is of use only where no stream tells more', () => {
    const draft = (text: string): PromptChange => ({
      kind: 'draft',
      draft: { job_id: firstJob, run: 1, seq: 4, text },
    })
    const joined = knownAfter([running, delta(0)])
    expect(applyChange(joined, draft('Once upon '))).toEqual({})
    expect(textOf([draft('Once upon ')], streamEnded(joined))).toBe('Once upon ')
    expect(textOf([draft('On')], streamEnded(joined))).toBe('Once ')
    expect(textOf([draft('Once')], knownAfter([running]))).toBe('Once')
    expect(applyChange(knownAfter([running, viewed({ revision: 3, state: 'failed' })]), draft('On'))).toEqual(
      {},
    )
  })

  test('tokens count for a text that was not asked for, and between its words', () => {
    const counted = (seq: number, tokens: number) => delta(seq, { text: '', tokens })
    const hidden = knownAfter([running, counted(0, 40), counted(1, 50)])
    expect(hidden.live).toMatchObject({ tokens: 50, text: '' })
    expect(applyChange(hidden, delta(2)).refetch).toBe(true)
    const shown = knownAfter(stream(2).slice(0, 2), hidden)
    expect(shown.live?.text).toBe('Once upon a time ')
    expect(knownAfter([counted(4, 90), delta(5, { text: 'there' })], shown).live).toMatchObject({
      text: 'Once upon a time there',
      tokens: 90,
    })
  })

  test('a later run starts anew, an older one is dropped', () => {
    const known = knownAfter([running, delta(0), delta(1), delta(0, { run: 2, text: 'Again' })])
    expect(known.live).toMatchObject({ run: 2, text: 'Again' })
    expect(knownAfter([delta(2)], known)).toEqual(known)
  })

  test('what arrives after the end is dropped: of a settled job, a requeued run, a replaced job', () => {
    const settledView = knownAfter([running, delta(0), viewed({ revision: 3, state: 'succeeded' })])
    expect(settledView.live).toMatchObject({ isOver: true, text: 'Once ' })
    expect(knownAfter([delta(1), delta(0, { run: 2 })], settledView)).toEqual(settledView)

    const requeued = knownAfter([running, delta(0), viewed({ revision: 3, state: 'queued', attempt: 2 })])
    expect(requeued.live).toMatchObject({ isOver: true, text: '' })
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

function streamEnded(known: KnownPrompt): KnownPrompt {
  return { ...known, live: known.live && afterStream(known.live) }
}

function viewOf(change: PromptChange | undefined): Partial<PromptView> {
  return change?.kind === 'view' ? change.view : {}
}
