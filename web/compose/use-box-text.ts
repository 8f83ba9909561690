import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { useSync } from '../sync/sync-context.tsx'

/** Drafts are written 250 ms after the last key; this is when that can be said. */
const savedAfterMs = 400

export interface BoxText {
  readonly isBlank: boolean
  readonly chars: number
  readonly isSaved: boolean
  /** The box was typed into: keeps the draft. */
  readonly noteInput: () => void
  /** Puts a text into the box, as if it had been typed. */
  readonly fill: (text: string) => void
  /** Empties the box after a submit, which took the draft with it. */
  readonly empty: () => void
}

/**
 * The text of the box: the draft of whatever the box is for, read once when that changes. The box itself holds it, so
 * that 200,000 characters pass through no render. When a person turns the box elsewhere (`turn` rises) with a text in
 * it, the text goes along unless another draft waits there.
 */
export function useBoxText(
  box: RefObject<HTMLTextAreaElement | null>,
  draftKey: string,
  turn: number,
): BoxText {
  const { drafts } = useSync()
  const [facts, setFacts] = useState({ isBlank: true, chars: 0 })
  /** How often the text was changed here; none of that is saved yet while it still rises. */
  const [edits, setEdits] = useState(0)
  const [savedEdits, setSavedEdits] = useState(0)
  const opened = useRef<{ key: string; turn: number } | undefined>(undefined)

  const look = useCallback(() => {
    const text = box.current?.value ?? ''
    const next = { isBlank: !/\S/.test(text), chars: text.length }
    setFacts((known) => (known.isBlank === next.isBlank && known.chars === next.chars ? known : next))
  }, [box])

  const noteInput = useCallback(() => {
    drafts.note(draftKey, box.current?.value ?? '')
    setEdits((count) => count + 1)
    look()
  }, [drafts, draftKey, box, look])

  const put = useCallback(
    (text: string) => {
      if (box.current !== null) box.current.value = text
      look()
    },
    [box, look],
  )

  useEffect(() => {
    const before = opened.current
    opened.current = { key: draftKey, turn }
    if (before?.key === draftKey) return
    const carried = before !== undefined && before.turn !== turn ? (box.current?.value ?? '') : ''
    if (carried === '') put('')
    let isWanted = true
    let isRead = false
    void drafts.read(draftKey).then((kept) => {
      // Typed meanwhile, or turned elsewhere: what stands there is newer than what was kept.
      if (!isWanted) return
      isRead = true
      if (box.current?.value !== carried) return
      if (carried !== '' && kept === '') {
        if (before !== undefined) drafts.note(before.key, '')
        drafts.note(draftKey, carried)
      } else put(kept)
    })
    return () => {
      isWanted = false
      if (!isRead) opened.current = before
    }
  }, [drafts, draftKey, turn, box, put])

  useEffect(() => {
    const timer = setTimeout(() => setSavedEdits(edits), savedAfterMs)
    return () => clearTimeout(timer)
  }, [edits])

  return {
    ...facts,
    isSaved: !facts.isBlank && edits > 0 && edits === savedEdits,
    noteInput,
    fill: (text) => {
      put(text)
      noteInput()
    },
    empty: () => put(''),
  }
}
