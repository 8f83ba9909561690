import type { PromptDetail } from '../../../shared/observe.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import type { Look } from '../../marks/look-of.ts'
import { useComposeTarget } from '../../session/compose-target-store.ts'
import { usePromptVerbs } from '../../session/prompt-verbs.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import styles from './turn.module.css'
import { TurnMenu } from './turn-menu.tsx'
import { WaitingActions } from './waiting-actions.tsx'

/** What can be done to a prompt in its state, and nothing else. */
export function TurnActions({
  view,
  look,
  detail,
  liveText,
}: {
  view: PromptView
  look: Look
  detail: PromptDetail | undefined
  liveText: string | undefined
}) {
  const { stop, sendAgain } = usePromptVerbs()
  const id = view.prompt_id
  if (look.disc === 'unsent') {
    return (
      <div className={styles.acts}>
        <Button small variant="line" icon="retry" onClick={sendAgain}>
          Send again
        </Button>
        <Button small icon="cross" onClick={() => stop(id)}>
          Discard
        </Button>
        <Hint>It is sent by itself once the server answers.</Hint>
      </div>
    )
  }
  return (
    <div className={styles.acts}>
      <StateActions view={view} detail={detail} liveText={liveText} />
      <span className={styles.more}>
        <TurnMenu promptId={id} isRunning={view.state === 'running'} />
      </span>
    </div>
  )
}

function StateActions({
  view,
  detail,
  liveText,
}: {
  view: PromptView
  detail: PromptDetail | undefined
  liveText: string | undefined
}) {
  const { retry, stop } = usePromptVerbs()
  const continueFrom = useComposeTarget((target) => target.continueFrom)
  const id = view.prompt_id
  switch (view.state) {
    case 'running':
      return (
        <>
          <Button small variant="line" icon="stop" onClick={() => stop(id)}>
            Stop
          </Button>
          {liveText || detail?.draft?.text ? (
            <CopyButton text={() => liveText || (detail?.draft?.text ?? '')} label="Copy so far" />
          ) : null}
          <Hint>Close the tab if you like. It goes on.</Hint>
        </>
      )
    case 'queued':
      return <WaitingActions view={view} />
    case 'failed':
      return (
        <>
          <span className={styles.chip}>
            <Chip tone="salmon" icon="retry" onClick={() => retry(id)}>
              Retry
            </Chip>
          </span>
          {detail?.partial ? (
            <CopyButton text={() => detail.partial?.text ?? ''} label="Copy what there is" />
          ) : null}
        </>
      )
    case 'cancelled':
      return (
        <Button small icon="retry" onClick={() => retry(id)}>
          Retry
        </Button>
      )
    case 'succeeded':
      return (
        <>
          <Button
            small
            variant={view.truncated ? 'line' : 'plain'}
            icon={view.truncated ? 'right' : 'plus'}
            onClick={() => continueFrom(id)}
          >
            Continue
          </Button>
          <CopyButton text={() => detail?.answer?.text ?? view.answer_excerpt ?? ''} />
          <Button small icon="retry" title="Asks once more; this answer is kept" onClick={() => retry(id)}>
            Retry
          </Button>
        </>
      )
    default:
      return null
  }
}

function Hint({ children }: { children: string }) {
  return (
    <>
      <span className={styles.separator} aria-hidden="true" />
      <span className={styles.hint}>{children}</span>
    </>
  )
}
