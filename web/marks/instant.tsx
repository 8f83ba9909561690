import { utcText } from './time-text.ts'

/** Words that tell an instant in the reader's zone, with the same in UTC for who points at them. */
export function Instant({ atMs, children }: { atMs: number; children: string }) {
  return (
    <time dateTime={new Date(atMs).toISOString()} title={utcText(atMs)}>
      {children}
    </time>
  )
}
