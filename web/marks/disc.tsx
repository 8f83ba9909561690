import type { CSSProperties } from 'react'
import styles from './disc.module.css'
import { discShapes, RaftDiscs, VerdictMark, WaitGlyph } from './disc-shapes.tsx'
import type { DiscKind, Look } from './look-of.ts'

export type DiscProps = {
  readonly look: Pick<Look, 'disc'> & Partial<Pick<Look, 'wait' | 'verdict'>>
  /** Beside a name, in lists and counts: the same mark, cropped to its shape, sized by `size` (16). */
  readonly mini?: boolean
  readonly size?: number
  /** Any text that stays the same, such as the prompt's id: shifts the breath, so that a field does not pulse as one. */
  readonly phaseOf?: string
  /** Holds still at full size: only the forty halos nearest to the centre move. */
  readonly resting?: boolean
  /** What has just happened, played once: a new prompt, a success, a failure. */
  readonly moment?: 'dropped' | 'settled' | 'failed' | undefined
  readonly raft?: { readonly settled: number; readonly alive: number }
}

/** The mark of a state. Silent to assistive technology: a word always stands beside it. */
export function Disc({ look, mini = false, size, phaseOf, resting = false, moment, raft }: DiscProps) {
  const { disc, wait, verdict } = look
  const classes = [mini ? styles.mini : styles.disc, resting && styles.resting, moment && styles[moment]]
  const style: CSSProperties & { '--phase'?: number } = {}
  if (phaseOf !== undefined) style['--phase'] = phaseOfText(phaseOf)
  if (size !== undefined) style.width = style.height = size
  return (
    <svg
      className={classes.filter(Boolean).join(' ')}
      style={style}
      viewBox={mini ? miniBox(disc, Boolean(verdict)) : '0 0 40 40'}
      data-disc={disc}
      aria-hidden="true"
      focusable="false"
    >
      {moment === 'dropped' || moment === 'settled' ? (
        <circle className={styles.ripple} cx="20" cy="20" r="22" />
      ) : null}
      <g className={styles.shape}>
        {disc === 'raft' && raft ? <RaftDiscs {...raft} /> : discShapes[disc]}
        {disc === 'queued' && wait ? <WaitGlyph wait={wait} /> : null}
      </g>
      {verdict ? <VerdictMark verdict={verdict} /> : null}
    </svg>
  )
}

const miniBoxes: Partial<Record<DiscKind, string>> = {
  settled: '9 9 22 22',
  queued: '9 9 22 22',
  cancelled: '10 10 20 20',
  truncated: '9 9 22 22',
  superseded: '10 10 20 20',
  new: '8 8 24 24',
  promoted: '8 8 24 24',
  unsent: '9 9 22 22',
  raft: '6 6 28 28',
}

function miniBox(disc: DiscKind, hasVerdict: boolean): string {
  return hasVerdict ? '9 4 27 27' : (miniBoxes[disc] ?? '5 5 30 30')
}

/** A steady fraction of 0 to 1 from any text (FNV-1a). */
function phaseOfText(text: string): number {
  let hash = 2_166_136_261
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 16_777_619)
  return ((hash >>> 8) % 997) / 997
}
