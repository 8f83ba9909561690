import type { ReactNode } from 'react'
import type { Verdict } from '../../shared/entity.ts'
import styles from './disc.module.css'
import type { DiscKind, WaitMark } from './look-of.ts'

/** What lies behind a disc, for the parts that are cut out of it: the water, unless a surface says otherwise. */
const ground = 'var(--disc-bg, var(--water-0))'
const round = { strokeLinecap: 'round', strokeLinejoin: 'round' } as const

/** The shape of every state in a box of 40 by 40, centre 20,20. Shape carries the state, colour repeats it. */
export const discShapes: Readonly<Record<DiscKind, ReactNode>> = {
  settled: <circle className={styles.solid} cx="20" cy="20" r="6" fill="var(--settled)" />,
  new: (
    <>
      <circle className={styles.solid} cx="20" cy="20" r="6.5" fill="var(--ink)" />
      <circle cx="20" cy="20" r="10.5" fill="none" stroke="var(--ink)" strokeWidth="1.5" />
    </>
  ),
  queued: (
    <>
      <circle className={`${styles.breath} ${styles.soft}`} cx="20" cy="20" r="13" fill="var(--wait-soft)" />
      <circle cx="20" cy="20" r="7.5" fill={ground} stroke="var(--wait)" strokeWidth="1.75" />
    </>
  ),
  pending: (
    <>
      <circle className={styles.soft} cx="20" cy="20" r="13" fill="var(--alive-soft)" />
      <DashedHalo className={styles.turn} stroke="var(--alive)" />
      <circle className={styles.solid} cx="20" cy="20" r="7" fill="var(--alive)" />
    </>
  ),
  external: (
    <>
      <circle className={styles.soft} cx="20" cy="20" r="13" fill="var(--alive-soft)" />
      <DashedHalo className={styles.turn} stroke="var(--alive)" />
      <rect className={styles.solid} x="14" y="14" width="12" height="12" rx="2" fill="var(--alive)" />
    </>
  ),
  review: (
    <>
      <circle className={styles.soft} cx="20" cy="20" r="13" fill="var(--amber-soft)" />
      <DashedHalo stroke="var(--amber)" />
      <circle className={styles.solid} cx="20" cy="20" r="7.5" fill="var(--amber)" />
      <path
        className={styles.cut}
        d="M20 15.7V20l3 1.9"
        fill="none"
        stroke={ground}
        strokeWidth="1.6"
        strokeLinecap="round"
      />
    </>
  ),
  orphan: (
    <>
      <circle
        className={`${styles.failedHalo} ${styles.soft}`}
        cx="20"
        cy="20"
        r="14"
        fill="var(--salmon-soft)"
      />
      <circle className={styles.solid} cx="20" cy="20" r="7.5" fill="var(--salmon)" />
      <path
        className={styles.cut}
        d="M20 16v4.6M20 23.6v.1"
        fill="none"
        stroke={ground}
        strokeWidth="1.9"
        strokeLinecap="round"
      />
    </>
  ),
  cancelled: (
    <>
      <circle cx="20" cy="20" r="6.5" fill={ground} stroke="var(--grey)" strokeWidth="1.75" />
      <path d="m15.6 24.4 8.8-8.8" fill="none" stroke="var(--grey)" strokeWidth="1.75" />
    </>
  ),
  superseded: (
    <circle
      cx="20"
      cy="20"
      r="6"
      fill={ground}
      stroke="var(--settled)"
      strokeWidth="1.3"
      strokeDasharray="2 2.2"
      opacity=".75"
    />
  ),
  truncated: (
    <>
      <path className={styles.solid} d="M22.5 13.5A7 7 0 1 0 22.5 26.5Z" fill="var(--settled)" />
      <path
        d="M25.5 13v14"
        fill="none"
        stroke="var(--settled)"
        strokeWidth="1.75"
        strokeDasharray="2 2.5"
        strokeLinecap="round"
      />
    </>
  ),
  unsent: (
    <>
      <circle
        cx="20"
        cy="20"
        r="7"
        fill={ground}
        stroke="var(--ink-2)"
        strokeWidth="1.5"
        strokeDasharray="1.5 3"
        strokeLinecap="round"
      />
      <path
        d="M20 23.5v-6.9M17.3 19.2 20 16.6l2.7 2.6"
        fill="none"
        stroke="var(--ink-2)"
        strokeWidth="1.5"
        {...round}
      />
    </>
  ),
  promoted: (
    <>
      <circle cx="20" cy="20" r="11" fill={ground} stroke="var(--ink)" strokeWidth="1.4" />
      <g
        fill="none"
        stroke="var(--ink)"
        strokeWidth="1.5"
        {...round}
        transform="translate(13.2 13) scale(.86)"
      >
        <circle cx="8" cy="3.5" r="1.5" />
        <path d="M8 5.2V14M2.5 9.5c.4 2.8 2.6 4.5 5.5 4.5s5.1-1.7 5.5-4.5" />
      </g>
    </>
  ),
  raft: <RaftDiscs settled={7} alive={0} />,
}

/** Seven small discs, filled in proportion to the outcomes of what a raft holds: settled, alive, still waiting. */
export function RaftDiscs({ settled, alive }: { settled: number; alive: number }) {
  return raftPlaces.map(([x, y], index) => {
    const key = `${x} ${y}`
    if (index < settled) return <circle key={key} cx={x} cy={y} r="3.2" fill="var(--settled)" />
    if (index < settled + alive) return <circle key={key} cx={x} cy={y} r="3.3" fill="var(--alive)" />
    return <circle key={key} cx={x} cy={y} r="2.7" fill={ground} stroke="var(--wait)" strokeWidth="1.4" />
  })
}

const raftPlaces: readonly (readonly [number, number])[] = [
  [20, 20],
  [20, 11.5],
  [27.4, 15.7],
  [27.4, 24.3],
  [20, 28.5],
  [12.6, 24.3],
  [12.6, 15.7],
]

/** The reason for waiting, inside the ring: a figure, the hand of a clock, an arrow. */
export function WaitGlyph({ wait }: { wait: NonNullable<WaitMark> }) {
  switch (wait.kind) {
    case 'line':
      return (
        <text
          x="20"
          y="24"
          textAnchor="middle"
          fontFamily="var(--sans)"
          fontSize={wait.place < 10 ? 11 : wait.place < 100 ? 8.5 : 6.5}
          dy={wait.place < 10 ? 0 : wait.place < 100 ? -1 : -1.8}
          fontWeight="650"
          fill="var(--wait)"
        >
          {wait.place > 999 ? '…' : wait.place}
        </text>
      )
    case 'clock':
      return (
        <path
          d="M20 16.2V20l2.6 1.6"
          fill="none"
          stroke="var(--wait)"
          strokeWidth="1.6"
          strokeLinecap="round"
        />
      )
    case 'after':
      return (
        <path
          d="M16.7 20h5.4M20 17.6l2.4 2.4-2.4 2.4"
          fill="none"
          stroke="var(--wait)"
          strokeWidth="1.5"
          {...round}
        />
      )
  }
}

const verdictMarks: Readonly<Record<Verdict, { path: string; stroke: string }>> = {
  confirmed: { path: 'M3 8.5 6.3 12 13 4.5', stroke: 'var(--confirm)' },
  refuted: { path: 'm4 4 8 8M12 4l-8 8', stroke: 'var(--salmon-ink)' },
  needs_work: { path: 'm3 13 .7-3L10.5 3.2a1.4 1.4 0 0 1 2.1 2.1L5.9 12.2z', stroke: 'var(--amber-ink)' },
}

/** A check, a cross or a pencil at the disc's shoulder. */
export function VerdictMark({ verdict }: { verdict: Verdict }) {
  const { path, stroke } = verdictMarks[verdict]
  return (
    <>
      <circle cx="29" cy="11.5" r="6.5" fill={ground} />
      <g transform="translate(24 6.5) scale(.625)" fill="none" stroke={stroke} strokeWidth="2.4" {...round}>
        <path d={path} />
      </g>
    </>
  )
}

function DashedHalo({ className, stroke }: { className?: string | undefined; stroke: string }) {
  return (
    <circle
      className={className}
      cx="20"
      cy="20"
      r="13"
      fill="none"
      stroke={stroke}
      strokeWidth="1.75"
      strokeDasharray="5.2 4.2"
      strokeLinecap="round"
    />
  )
}
