import { useEffect, useState } from 'react'
import { type DeletionAsk, useDeletion } from '../session/deletion-store.ts'
import { useNotices } from '../session/notice-store.ts'
import { usePlace } from '../session/place-store.ts'
import { errorSentence } from '../sync/api-error.ts'
import { usePromptStates, usePromptView, useThreadTitle } from '../sync/hooks.ts'
import { useSync } from '../sync/sync-context.tsx'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import styles from './delete-dialog.module.css'
import { shortTitle } from './short-title.ts'

/** Asks once more before a prompt or a thread is deleted; stands in the page once, whoever asks. */
export function DeleteDialog() {
  const { ask, close } = useDeletion()
  // What it says stays the same while it fades.
  const [shown, setShown] = useState<DeletionAsk | null>(null)
  useEffect(() => {
    if (ask !== null) setShown(ask)
  }, [ask])
  const about = ask ?? shown
  return (
    <Sheet
      open={ask !== null}
      onOpenChange={(isOpen) => {
        if (!isOpen) close()
      }}
      label={about?.kind === 'thread' ? 'Delete this thread?' : 'Delete this prompt?'}
      place="middle"
      width={440}
    >
      {about === null ? null : <Question key={about.id} ask={about} onDone={close} />}
    </Sheet>
  )
}

function Question({ ask, onDone }: { ask: DeletionAsk; onDone: () => void }) {
  const { actions } = useSync()
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const isThread = ask.kind === 'thread'
  const { title, ids } = useAbout(ask)
  const states = usePromptStates()
  const isRunning = ids.some((id) => states.get(id)?.state === 'running')

  async function remove() {
    setBusy(true)
    setRefusal(null)
    try {
      await (isThread ? actions.deleteThread(ask.id) : actions.deletePrompt(ask.id))
      onDone()
      const { promptId, close } = usePlace.getState()
      if (promptId !== null && ids.includes(promptId)) close()
      useNotices.getState().say(isThread ? 'Thread deleted.' : 'Prompt deleted.')
    } catch (error) {
      setRefusal(errorSentence(error))
      setBusy(false)
    }
  }

  return (
    <div className={styles.question}>
      <h2 className={styles.head}>{isThread ? 'Delete this thread?' : 'Delete this prompt?'}</h2>
      {title === '' ? null : (
        <p className={styles.title} dir="auto">
          {title}
        </p>
      )}
      <p>{isThread ? threadWords(ids.length) : promptWords}</p>
      {isRunning ? (
        <p className={styles.trouble}>
          {isThread
            ? 'One of them is being answered. Stop it first.'
            : 'It is being answered. Stop it first.'}
        </p>
      ) : null}
      {refusal === null || isRunning ? null : (
        <p className={styles.trouble} role="alert">
          Not deleted: {refusal}
        </p>
      )}
      <div className={styles.acts}>
        <Button onClick={onDone}>Keep</Button>
        <Button
          variant="line"
          className={styles.delete}
          disabled={isBusy || isRunning}
          onClick={() => void remove()}
        >
          Delete
        </Button>
      </div>
    </div>
  )
}

const promptWords =
  'It disappears everywhere, with its answer. Prompts that continue it stay, without it in their context.'

function threadWords(count: number): string {
  const what =
    count === 1 ? 'Its prompt and the answer' : `All ${count.toLocaleString('en')} prompts and their answers`
  return `${what} disappear everywhere. What still waits is cancelled.`
}

/** What the question is about: its words, and every prompt that would go. */
function useAbout(ask: DeletionAsk): { title: string; ids: readonly string[] } {
  const { layout } = useSync().state
  const view = usePromptView(ask.kind === 'prompt' ? ask.id : null)
  const threadTitle = useThreadTitle(ask.kind === 'thread' ? ask.id : null)
  return ask.kind === 'thread'
    ? { title: threadTitle ?? '', ids: layout.idsOfThread(ask.id) }
    : { title: shortTitle(view?.text_excerpt ?? '', 120), ids: [ask.id] }
}
