import { memo } from 'react'
import type { PromptView } from '../../shared/prompt-view.ts'
import { Disc } from '../marks/disc.tsx'
import type { Look } from '../marks/look-of.ts'
import { PracticeTag } from '../marks/practice-tag.tsx'
import { tokensText } from '../marks/prompt-line.ts'
import { utcText, whenText } from '../marks/time-text.ts'
import { toneOf } from '../marks/tone-of.ts'
import { usePromptLook } from '../marks/use-prompt-look.ts'
import { useComposeTarget } from '../session/compose-target-store.ts'
import { usePlace } from '../session/place-store.ts'
import { usePromptVerbs } from '../session/prompt-verbs.ts'
import { useSelection } from '../session/selection-store.ts'
import { useReading } from '../session/use-reading.ts'
import { usePromptView } from '../sync/hooks.ts'
import { Chip } from '../ui/chip.tsx'
import { classNames } from '../ui/class-names.ts'
import styles from './list-row.module.css'
import { rowWords } from './row-words.ts'

/** One prompt as a row; on a phone its cells stand below each other. Pressing it anywhere opens it. */
export const ListRow = memo(function ListRow({ promptId }: { promptId: string }) {
  const view = usePromptView(promptId)
  if (view === undefined) return <div className={styles.row}>being read…</div>
  return <Row view={view} />
})

function Row({ view }: { view: PromptView }) {
  const reading = useReading(view.state === 'running' ? 5_000 : 30_000)
  const { look, line, live } = usePromptLook(view, reading)
  const isSelected = useSelection(({ ids }) => ids.has(view.prompt_id))
  const isOpen = usePlace((place) => place.promptId === view.prompt_id)
  const open = usePlace((place) => place.open)
  const words = rowWords(view, look, line, live?.text)
  const tone = toneOf(look)
  const tokens = live?.tokens || view.tokens
  return (
    <div
      className={classNames(
        styles.row,
        look.className,
        isSelected && 'is-selected',
        (isSelected || isOpen) && styles.selected,
        look.className.includes('is-new') && styles.new,
      )}
    >
      <span className={classNames(styles.state, tone !== null && styles[tone])}>
        <Disc look={look} mini phaseOf={view.prompt_id} />
        <span>{words.state}</span>
      </span>
      <span className={styles.what}>
        <button
          type="button"
          className={styles.title}
          title={view.text_excerpt}
          aria-current={isOpen ? 'true' : undefined}
          onClick={() => open(view.prompt_id)}
        >
          <bdi>{view.text_excerpt}</bdi>
        </button>
        <span className={styles.below}>
          <b className={classNames(styles.word, tone !== null && styles[tone])}>
            {words.state}
            {words.known === '' ? null : ' · '}
          </b>
          <span className={classNames(styles.known, words.isSaid && styles.said)} dir="auto">
            {words.known}
          </span>
          {view.practice ? (
            <span className={styles.tag}>
              {' '}
              <PracticeTag />
            </span>
          ) : null}
        </span>
      </span>
      <span className={styles.thread} dir="auto">
        {view.thread_title}
      </span>
      <span className={styles.model}>{view.practice ? <PracticeTag /> : (view.model ?? '')}</span>
      <span className={styles.deed}>
        <WayOut view={view} look={look} />
        {look.disc === 'orphan' || !tokens ? null : (
          <span className={styles.tokens}>{tokensText(tokens)}</span>
        )}
      </span>
      <span className={styles.attempt}>
        {view.started_at === null ? '–' : `${view.attempt} of ${view.max_attempts}`}
      </span>
      <time className={styles.when} dateTime={view.created_at} title={utcText(Date.parse(view.created_at))}>
        {whenText(Date.parse(view.created_at), reading)}
      </time>
    </div>
  )
}

/** The one thing that helps, where something does. */
function WayOut({ view, look }: { view: PromptView; look: Look }) {
  const { retry, stop, sendAgain } = usePromptVerbs()
  const continueFrom = useComposeTarget((target) => target.continueFrom)
  switch (look.disc) {
    case 'unsent':
      return (
        <Chip icon="retry" onClick={sendAgain}>
          Send again
        </Chip>
      )
    case 'orphan':
      return (
        <Chip tone="salmon" icon="retry" onClick={() => retry(view.prompt_id)}>
          Retry
        </Chip>
      )
    case 'review':
    case 'pending':
    case 'external':
      return (
        <Chip
          tone={look.disc === 'review' ? 'amber' : 'ink'}
          icon="stop"
          className={look.disc === 'review' ? undefined : styles.quiet}
          onClick={() => stop(view.prompt_id)}
        >
          Stop
        </Chip>
      )
    case 'queued':
      return (
        <Chip icon="cross" className={styles.quiet} onClick={() => stop(view.prompt_id)}>
          Cancel
        </Chip>
      )
    case 'truncated':
      return (
        <Chip icon="right" onClick={() => continueFrom(view.prompt_id)}>
          Continue
        </Chip>
      )
    default:
      return null
  }
}
