import { useCallback, useSyncExternalStore } from 'react'
import { useSession } from '../sync/hooks.ts'

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/**
 * Where and when times are read: the person's zone, else this browser's, and the present, which moves on by whole
 * steps of `stepMs`, so that who shows minutes is not drawn every second.
 */
export function useReading(stepMs = 30_000): { readonly timeZone: string; readonly nowMs: number } {
  const zone = useSession()?.time_zone
  const readNow = useCallback(() => Math.floor(Date.now() / stepMs) * stepMs, [stepMs])
  const step = useSyncExternalStore(subscribe, readNow)
  // The step is only what wakes us: a start a moment ago must not seem to lie in the future.
  return { timeZone: zone ?? browserZone, nowMs: Math.max(step, Date.now()) }
}

const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** One timer for the page, and none while nobody reads a time. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    for (const each of [...listeners]) each()
  }, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}
