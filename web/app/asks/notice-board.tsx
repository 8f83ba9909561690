import { useEffect } from 'react'
import { type Notice, useNotices } from '../../session/notice-store.ts'
import { Notices } from '../../ui/notices.tsx'

/** Long enough to read a sentence, and to press what it offers. */
const plainMs = 8_000

/** What is to be said once. Plain notices go by themselves, a refusal waits to be closed. */
export function NoticeBoard() {
  const { notices, dismiss } = useNotices()
  const newestPlain = notices.filter(({ tone }) => tone === 'plain').at(-1)?.id
  useEffect(() => {
    if (newestPlain === undefined) return
    const timer = setTimeout(() => {
      for (const { id, tone } of useNotices.getState().notices) {
        if (tone === 'plain' && id <= newestPlain) dismiss(id)
      }
    }, plainMs)
    return () => clearTimeout(timer)
  }, [newestPlain, dismiss])
  return <Notices notices={notices.map(drawn)} onClose={(id) => dismiss(Number(id))} />
}

function drawn({ id, text, tone, action }: Notice) {
  return {
    id: String(id),
    text,
    tone: tone === 'trouble' ? ('problem' as const) : ('plain' as const),
    ...(action === undefined ? {} : { action: { label: action.label, onPress: action.run } }),
  }
}
