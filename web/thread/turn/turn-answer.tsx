import { useRef } from 'react'
import type { PromptDetail } from '../../../shared/observe.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import { AnswerText } from '../../marks/answer/answer-text.tsx'
import { failureSentence } from '../../marks/state-words.ts'
import { Caret } from '../../marks/trickle.tsx'
import { FoldedText } from './folded-text.tsx'
import styles from './turn.module.css'

/** What stands below a prompt: its answer, what is written of it so far, or what went wrong. */
export function TurnAnswer({
  view,
  detail,
  liveText,
}: {
  view: PromptView
  detail: PromptDetail | undefined
  liveText: string | undefined
}) {
  // Written before these eyes: it does not fold when it is done.
  const wasLive = useRef(false)
  if (view.state === 'running') wasLive.current = true
  switch (view.state) {
    case 'running':
      return <Written text={liveText || (detail?.draft?.text ?? '')} isExternal={view.external !== null} />
    case 'succeeded':
      return <Answer view={view} detail={detail} startsOpen={wasLive.current} />
    case 'failed':
      return (
        <>
          <p className={styles.failure}>
            <bdi>{view.error_message ?? capital(failureSentence(view.error_kind))}</bdi>
          </p>
          <Partial detail={detail} />
          <OlderAnswer view={view} detail={detail} />
        </>
      )
    case 'cancelled':
      return (
        <>
          <Partial detail={detail} />
          <OlderAnswer view={view} detail={detail} />
        </>
      )
    default:
      return <OlderAnswer view={view} detail={detail} />
  }
}

function Written({ text, isExternal }: { text: string; isExternal: boolean }) {
  if (isExternal && text === '') return null
  return (
    <div className={styles.answer} data-written>
      {text === '' ? <Caret /> : <AnswerText text={text} streaming />}
    </div>
  )
}

function Answer({
  view,
  detail,
  startsOpen,
}: {
  view: PromptView
  detail: PromptDetail | undefined
  startsOpen: boolean
}) {
  const answer = detail?.answer?.job_id === view.job_id ? detail.answer : undefined
  const text = answer?.text ?? view.answer_excerpt
  if (text === null) return null
  return (
    <div className={styles.answer} data-written={startsOpen ? true : undefined}>
      <FoldedText
        text={text}
        foldKey={`answer ${view.job_id}`}
        startsOpen={startsOpen}
        draw={(shown) => <AnswerText text={shown} />}
      />
    </div>
  )
}

/** What had been written when it ended: never to be taken for an answer. */
function Partial({ detail }: { detail: PromptDetail | undefined }) {
  const partial = detail?.partial
  if (!partial || partial.text === '') return null
  return (
    <div className={styles.answer}>
      <p className={styles.label}>
        <em>partial</em>, written before it ended
      </p>
      <FoldedText
        text={partial.text}
        foldKey={`partial ${partial.job_id} ${partial.run}`}
        draw={(shown) => <AnswerText text={shown} />}
      />
    </div>
  )
}

/** A retry that has not brought an answer leaves the old one in its place. */
function OlderAnswer({ view, detail }: { view: PromptView; detail: PromptDetail | undefined }) {
  const answer = detail?.answer
  if (!answer || answer.job_id === view.job_id) return null
  return (
    <div className={styles.answer}>
      <p className={styles.label}>The earlier answer, kept</p>
      <FoldedText
        text={answer.text}
        foldKey={`answer ${answer.job_id}`}
        draw={(shown) => <AnswerText text={shown} />}
      />
    </div>
  )
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}
