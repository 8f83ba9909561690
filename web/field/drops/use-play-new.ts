import { useEffect, useRef } from 'react'
import type { LayoutSnapshot } from '../../sync/layout-index.ts'
import { useMoments } from './moments.ts'

/** A prompt that was just typed here lands with a ripple; those that a reload or another browser brings do not. */
export function usePlayNew(snapshot: LayoutSnapshot): void {
  const known = useRef(new Set(snapshot.ids))
  useEffect(() => {
    snapshot.ids.forEach((id, index) => {
      const isTyped = snapshot.createdAt[index] === Number.POSITIVE_INFINITY
      if (isTyped && !known.current.has(id)) useMoments.getState().play(id, 'dropped')
    })
    known.current = new Set(snapshot.ids)
  }, [snapshot])
}
