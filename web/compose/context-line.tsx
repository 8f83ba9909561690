import type { PromptView } from '../../shared/prompt-view.ts'
import { Disc } from '../marks/disc.tsx'
import { shortTitle } from '../marks/short-title.ts'
import { usePromptLook } from '../marks/use-prompt-look.ts'
import { useComposeTarget } from '../session/compose-target-store.ts'
import { useReading } from '../session/use-reading.ts'
import { usePromptView } from '../sync/hooks.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import styles from './context-line.module.css'

/** What Enter will do, in a sentence, with its one alternative at the right. */
export function ContextLine({
  parentId,
  alternativeId,
  isPractice,
}: {
  parentId: string | null
  /** What could be continued instead of beginning a thread. */
  alternativeId: string | null
  /** Nothing was sent yet, and no model is connected. */
  isPractice: boolean
}) {
  const parent = usePromptView(parentId)
  const alternative = usePromptView(alternativeId)
  const { continueFrom, startThread } = useComposeTarget()
  if (parentId !== null) {
    return (
      <div className={styles.line}>
        {parent === undefined ? <Icon name="right" /> : <ParentDisc view={parent} />}
        <span className={styles.sentence}>
          Continues{' '}
          {parent === undefined ? (
            'the prompt that is open'
          ) : (
            <b>
              “<bdi>{shortTitle(parent.text_excerpt, 48)}</bdi>”
            </b>
          )}
          {parent === undefined ? null : whenItStarts(parent)}
        </span>
        <LinkButton onClick={startThread}>New thread</LinkButton>
      </div>
    )
  }
  return (
    <div className={styles.line}>
      <Icon name="plus" />
      <span className={styles.sentence}>
        Starts a <b>new thread</b>
        {isPractice ? ', answered by the practice provider until a model is connected' : null}
      </span>
      {alternative === undefined ? null : (
        <span className={styles.instead}>
          <LinkButton onClick={() => continueFrom(alternative.prompt_id)}>
            Continue “<bdi>{shortTitle(alternative.text_excerpt, 18)}</bdi>” instead
          </LinkButton>
        </span>
      )}
    </div>
  )
}

function ParentDisc({ view }: { view: PromptView }) {
  const { look } = usePromptLook(view, useReading())
  return <Disc look={look} mini size={14} phaseOf={view.prompt_id} />
}

/** A follower waits for what it follows. */
function whenItStarts({ state }: PromptView): string {
  switch (state) {
    case 'queued':
    case 'running':
      return ', starts when it is answered'
    case 'failed':
    case 'cancelled':
      return ', waits until that is retried and answered'
    default:
      return ''
  }
}
