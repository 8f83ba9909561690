import { Fragment, memo, useRef } from 'react'
import type { PromptDetail } from '../../../shared/observe.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import { Disc } from '../../marks/disc.tsx'
import { Instant } from '../../marks/instant.tsx'
import { PracticeTag } from '../../marks/practice-tag.tsx'
import { shortTitle } from '../../marks/short-title.ts'
import { StateLine } from '../../marks/state-line.tsx'
import { usePromptLook } from '../../marks/use-prompt-look.ts'
import { useReading } from '../../session/use-reading.ts'
import { usePromptDetail, usePromptView } from '../../sync/hooks.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Icon } from '../../ui/icon.tsx'
import { VisuallyHidden } from '../../ui/visually-hidden.tsx'
import { BranchTabs } from './branch-tabs.tsx'
import { FoldedText } from './folded-text.tsx'
import styles from './turn.module.css'
import { TurnActions } from './turn-actions.tsx'
import { TurnAnswer } from './turn-answer.tsx'
import { earlierWords, type TurnFact, turnFacts, turnLine } from './turn-meta.ts'
import { useNearView } from './use-near-view.ts'
import { useSeenWhileShown } from './use-seen-while-shown.ts'

/** A longer prompt is no heading any more. */
const headingCharsMax = 300
const noBranches: readonly string[] = []

/** One prompt with its answer, on the rail of its thread. Reads itself whole when it comes near the view. */
export const Turn = memo(function Turn({
  promptId,
  isOpen,
  mayRead,
  branches = noBranches,
  nextId,
}: {
  promptId: string
  /** It is the one that was opened. */
  isOpen: boolean
  /** False while the thread is being read as a whole, which brings this turn too. */
  mayRead: boolean
  /** All ways on from here, if there is more than one. */
  branches?: readonly string[]
  /** The way on that is shown. */
  nextId?: string | undefined
}) {
  const element = useRef<HTMLLIElement>(null)
  const isNear = useNearView(element)
  const reading = usePromptDetail(mayRead && isNear ? promptId : null)
  const view = usePromptView(promptId) ?? reading.detail?.view
  const isUnseen = view !== undefined && view.state === 'succeeded' && !view.seen
  useSeenWhileShown(element, promptId, { isUnseen, isOpen })
  return (
    <li
      ref={element}
      className={styles.turn}
      data-turn-id={promptId}
      aria-current={isOpen ? 'true' : undefined}
    >
      {view === undefined ? (
        <p className={styles.meta}>{reading.error ?? 'being read…'}</p>
      ) : (
        <Content view={view} detail={reading.detail} />
      )}
      {reading.error === null || view === undefined ? null : (
        <p className={styles.unread}>
          Shown in part: {reading.error}
          <Button small variant="line" onClick={reading.readAgain}>
            Read again
          </Button>
        </p>
      )}
      {branches.length > 1 ? <BranchTabs branches={branches} openId={nextId} /> : null}
    </li>
  )
})

function Content({ view, detail }: { view: PromptView; detail: PromptDetail | undefined }) {
  const reading = useReading(view.state === 'running' ? 1_000 : 30_000)
  const { look, line, live } = usePromptLook(view, reading)
  const facts = turnFacts(view, reading, live?.tokens)
  const earlier = earlierWords(view.earlier_jobs, reading)
  return (
    <div className={classNames(styles.content, look.className)}>
      <span className={styles.disc}>
        <Disc look={look} phaseOf={view.prompt_id} />
      </span>
      <PromptWords view={view} text={detail?.text ?? view.text_excerpt} />
      <p className={styles.meta}>
        <StateLine parts={turnLine(look, line)} look={look} />
        {facts.map((fact) => (
          <span key={fact.text}>
            {' · '}
            <Fact fact={fact} />
          </span>
        ))}
        {view.practice ? (
          <>
            {' '}
            <PracticeTag />
          </>
        ) : null}
      </p>
      <TurnAnswer view={view} detail={detail} liveText={live?.text} />
      {earlier === null ? null : (
        <p className={styles.earlier}>
          <Icon name="stack" small />
          <span>
            {earlier.head} (
            {earlier.each.map((fact, at) => (
              <Fragment key={`${fact.text} ${fact.atMs}`}>
                {at === 0 ? null : ', '}
                <Fact fact={fact} />
              </Fragment>
            ))}
            )
          </span>
        </p>
      )}
      <TurnActions view={view} look={look} detail={detail} liveText={live?.text} />
    </div>
  )
}

function Fact({ fact }: { fact: TurnFact }) {
  return fact.atMs === undefined ? fact.text : <Instant atMs={fact.atMs}>{fact.text}</Instant>
}

function PromptWords({ view, text }: { view: PromptView; text: string }) {
  if (text.length <= headingCharsMax) {
    return (
      <h3 className={styles.prompt} dir="auto">
        {text}
      </h3>
    )
  }
  return (
    <>
      <VisuallyHidden>
        <h3>{shortTitle(view.text_excerpt, 80)}</h3>
      </VisuallyHidden>
      <FoldedText
        text={text}
        foldKey={`prompt ${view.prompt_id}`}
        draw={(shown) => (
          <div className={styles.prompt} dir="auto">
            {shown}
          </div>
        )}
      />
    </>
  )
}
