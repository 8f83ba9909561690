import { Fragment } from 'react'
import { Instant } from './instant.tsx'
import type { Look } from './look-of.ts'
import type { LinePart } from './prompt-line.ts'
import styles from './state-line.module.css'
import { toneOf } from './tone-of.ts'

/** The line below a title, drawn: its strong parts in the weight and colour of the state. */
export function StateLine({ parts, look }: { parts: readonly LinePart[]; look: Pick<Look, 'disc'> }) {
  const tone = toneOf(look)
  return parts.map((part) => (
    <Fragment key={part.text}>
      {part.breakBefore ? <br /> : null}
      {part.strong ? (
        <b className={tone === null ? undefined : styles[tone]}>{part.text}</b>
      ) : part.atMs === undefined ? (
        part.text
      ) : (
        <Instant atMs={part.atMs}>{part.text}</Instant>
      )}
    </Fragment>
  ))
}
