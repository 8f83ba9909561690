import { useCallback, useEffect, useRef, useState } from 'react'
import { useCounts, useTransitions } from '../sync/hooks.ts'
import type { Transition } from '../sync/rows/server-state.ts'
import { Announcer } from '../ui/visually-hidden.tsx'
import { changeWords, pageTitle, type ToldState, toldState } from './change-words.ts'

const gatherMs = 2_000

/** Says what ended, politely and gathered; names the tab after what goes on. Tokens are never said. */
export function ChangeAnnouncer() {
  const [message, setMessage] = useState('')
  const gathered = useRef<ToldState[]>([])
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)

  useTransitions(
    useCallback((transition: Transition) => {
      const state = toldState(transition)
      if (state === null) return
      gathered.current.push(state)
      timer.current ??= setTimeout(() => {
        timer.current = undefined
        const words = changeWords(gathered.current.splice(0))
        // The same words again are no change, and would not be said.
        setMessage((before) => (before === words ? `${words}.` : words))
      }, gatherMs)
    }, []),
  )
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )

  const title = pageTitle(useCounts())
  useEffect(() => {
    document.title = title
  }, [title])

  return <Announcer message={message} />
}
