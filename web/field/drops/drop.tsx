import { type CSSProperties, type MouseEvent, memo, useEffect, useRef } from 'react'
import type { PromptView } from '../../../shared/prompt-view.ts'
import { Disc } from '../../marks/disc.tsx'
import { PracticeTag } from '../../marks/practice-tag.tsx'
import { promptLineText } from '../../marks/prompt-line.ts'
import { StateLine } from '../../marks/state-line.tsx'
import { Trickle } from '../../marks/trickle.tsx'
import { usePromptLook } from '../../marks/use-prompt-look.ts'
import { useComposeTarget } from '../../session/compose-target-store.ts'
import { usePromptVerbs } from '../../session/prompt-verbs.ts'
import { useReading } from '../../session/use-reading.ts'
import { usePromptView, useThreadTitle } from '../../sync/hooks.ts'
import { Chip } from '../../ui/chip.tsx'
import { classNames } from '../../ui/class-names.ts'
import styles from './drop.module.css'
import { useMoments } from './moments.ts'

export type DropProps = {
  readonly promptId: string
  readonly x: number
  readonly y: number
  readonly room: number
  readonly place: number
  readonly count: number
  readonly isSelected: boolean
  /** The one drop that Tab reaches. */
  readonly isFocusable: boolean
  /** Takes the focus when it appears or becomes the focused one by key. */
  readonly hasFocus: boolean
  readonly resting: boolean
  readonly onPick: (promptId: string, how: { extend: boolean; toggle: boolean }) => void
}

/** One prompt on the field: its disc, its title, the line that says how it stands, and the way out beside it. */
export const Drop = memo(function Drop(props: DropProps) {
  const { promptId, x, y, room, place, count } = props
  const view = usePromptView(promptId)
  const style: CSSProperties & { '--room': string } = {
    transform: `translate(${x}px, ${y}px)`,
    '--room': `${room}px`,
  }
  return view === undefined ? (
    <li
      className={classNames(styles.drop, 'drop')}
      style={style}
      data-prompt-id={promptId}
      aria-setsize={count}
      aria-posinset={place}
    >
      <Disc look={{ disc: 'settled' }} resting />
    </li>
  ) : (
    <KnownDrop {...props} view={view} style={style} />
  )
})

function KnownDrop({ view, style, ...props }: DropProps & { view: PromptView; style: CSSProperties }) {
  const { promptId, isSelected, isFocusable, hasFocus, resting, onPick, place, count } = props
  const reading = useReading()
  const { look, line, live } = usePromptLook(view, reading)
  const thread = useThreadTitle(view.correlation_id)
  const moment = useMoments(({ moments }) => moments.get(promptId))
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (hasFocus) button.current?.focus({ preventScroll: true })
  }, [hasFocus])
  const pick = (event: MouseEvent) =>
    onPick(promptId, { extend: event.shiftKey, toggle: event.ctrlKey || event.metaKey })
  const said = [
    view.text_excerpt,
    promptLineText(line),
    view.practice ? 'practice' : '',
    thread === undefined ? '' : `thread ${thread}`,
  ]
  return (
    <li
      className={classNames(styles.drop, 'drop', look.className, isSelected && 'is-selected')}
      style={style}
      data-prompt-id={promptId}
      data-state={view.state}
      aria-setsize={count}
      aria-posinset={place}
    >
      <button
        ref={button}
        type="button"
        className={styles.open}
        tabIndex={isFocusable ? 0 : -1}
        aria-label={said.filter((part) => part !== '').join(', ')}
        title={view.text_excerpt}
        onClick={pick}
      >
        <span className={styles.disc}>
          <Disc look={look} phaseOf={promptId} resting={resting} moment={moment} />
        </span>
        <span className={styles.name} dir="auto">
          {view.text_excerpt}
        </span>
        {live !== undefined && live.text !== '' ? <Trickle text={live.text} /> : null}
        <span className={styles.say}>
          <StateLine parts={line} look={look} />
          {view.practice ? (
            <>
              {' '}
              <PracticeTag />
            </>
          ) : null}
        </span>
      </button>
      <DropChips view={view} disc={look.disc} isFocusable={isFocusable} />
    </li>
  )
}

/** What helps, beside the disc: a retry after a failure, going on after an answer that was cut. */
function DropChips({ view, disc, isFocusable }: { view: PromptView; disc: string; isFocusable: boolean }) {
  const { retry } = usePromptVerbs()
  const continueFrom = useComposeTarget((store) => store.continueFrom)
  const tabIndex = isFocusable ? 0 : -1
  if (disc === 'orphan') {
    return (
      <span className={styles.chips}>
        <Chip tone="salmon" icon="retry" tabIndex={tabIndex} onClick={() => retry(view.prompt_id)}>
          Retry
        </Chip>
      </span>
    )
  }
  if (disc === 'truncated') {
    return (
      <span className={styles.chips}>
        <Chip icon="right" tabIndex={tabIndex} onClick={() => continueFrom(view.prompt_id)}>
          Continue
        </Chip>
      </span>
    )
  }
  return null
}
