import { useEffect, useRef, useState } from 'react'
import { rowShiftMs } from '../engine/travel.ts'

/** True for as long as rows take to move apart after the field gained or lost one. */
export function useShifting(rows: number): boolean {
  const before = useRef(rows)
  const [shifting, setShifting] = useState(false)
  useEffect(() => {
    if (before.current === rows) return
    const isFirst = before.current === 0
    before.current = rows
    if (isFirst) return
    setShifting(true)
    const timer = setTimeout(() => setShifting(false), rowShiftMs)
    return () => clearTimeout(timer)
  }, [rows])
  return shifting
}
