import { type ClipboardEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useCameraIntent } from '../session/camera-intent-store.ts'
import { useComposeTarget } from '../session/compose-target-store.ts'
import { usePlace } from '../session/place-store.ts'
import { useSelection } from '../session/selection-store.ts'
import { useCounts, useLayout, useModels, usePromptView, useSubmit } from '../sync/hooks.ts'
import { newThreadDraftKey } from '../sync/outbox/drafts.ts'
import { useSync } from '../sync/sync-context.tsx'
import { Icon } from '../ui/icon.tsx'
import { chosenOffer, submitOptionsOf, useComposeOptions } from './compose-options.ts'
import styles from './composer.module.css'
import { ContextLine } from './context-line.tsx'
import { OptionRow } from './option-row.tsx'
import { judgePaste, lengthProblem } from './paste-limit.ts'
import { RefusedText } from './refused-text.tsx'
import { sendsPrompt } from './sends-prompt.ts'
import { useBoxText } from './use-box-text.ts'
import { useComposeHeight } from './use-compose-height.ts'
import { fitBox, useFittingBox } from './use-fitting-box.ts'

/** Where prompts are written. What is typed is kept at once, and leaves only when the server has it. */
export function Composer() {
  const form = useRef<HTMLFormElement>(null)
  const box = useRef<HTMLTextAreaElement>(null)
  const problemId = useId()
  const { parentId: wantedId, focusTurn, noteText } = useComposeTarget()
  const isGone = useIsGone(wantedId)
  const parentId = isGone ? null : wantedId
  const parent = usePromptView(parentId)
  const [lastId, setLastId] = useState<string | null>(null)
  const models = useModels()
  const options = useComposeOptions()
  const { total, unsent } = useCounts()
  const submit = useSubmit()
  const alternativeId = useAlternative(lastId)
  const [pasteProblem, setPasteProblem] = useState<string | null>(null)

  const draftKey = parentId === null ? newThreadDraftKey : (parent?.correlation_id ?? parentId)
  // What was being written for a prompt that is deleted meanwhile goes along to the new thread, as if turned by hand.
  const text = useBoxText(box, draftKey, isGone ? -1 - focusTurn : focusTurn)
  useFittingBox(box, text.chars)
  useComposeHeight(form)

  useEffect(() => {
    if (focusTurn > 0) box.current?.focus()
  }, [focusTurn])

  useEffect(() => noteText(!text.isBlank), [noteText, text.isBlank])

  const problem = lengthProblem(text.chars) ?? pasteProblem

  function changed() {
    setPasteProblem(null)
    text.noteInput()
  }

  function send() {
    const written = box.current?.value ?? ''
    if (text.isBlank || lengthProblem(written.length) !== null) return
    const { promptId } = submit({
      text: written,
      ...(parentId === null ? {} : { parentId }),
      options: submitOptionsOf(options, models),
      draftKey,
    })
    text.empty()
    box.current?.focus()
    setPasteProblem(null)
    setLastId(promptId)
    follow(promptId, parentId !== null)
  }

  function keyPressed(event: KeyboardEvent<HTMLTextAreaElement>) {
    if (!sendsPrompt(event.nativeEvent)) return
    event.preventDefault()
    send()
  }

  function pasted(event: ClipboardEvent<HTMLTextAreaElement>) {
    const element = event.currentTarget
    const paste = event.clipboardData.getData('text/plain')
    const selected = element.selectionEnd - element.selectionStart
    const verdict = judgePaste(paste.length, element.value.length - selected)
    if (verdict.kind === 'leave') return
    event.preventDefault()
    if (verdict.kind === 'refuse') return setPasteProblem(verdict.sentence)
    fitBox(element, paste.length)
    element.setRangeText(paste.replace(/\r\n?/g, '\n'), element.selectionStart, element.selectionEnd, 'end')
    changed()
  }

  const isFirst = total === 0 && unsent === 0
  return (
    <form
      ref={form}
      className={styles.compose}
      aria-label="Compose"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <RefusedText draftKey={draftKey} isBoxFree={text.isBlank} giveBack={text.fill} />
      <ContextLine
        parentId={parentId}
        alternativeId={alternativeId}
        isPractice={isFirst && chosenOffer(models, options.model)?.practice === true}
      />
      <textarea
        ref={box}
        className={styles.box}
        aria-label="Prompt"
        aria-invalid={problem === null ? undefined : true}
        aria-describedby={problem === null ? undefined : problemId}
        placeholder={isFirst ? 'Type a prompt. Enter sends it.' : 'What next?'}
        rows={1}
        enterKeyHint="send"
        autoComplete="off"
        onInput={changed}
        onKeyDown={keyPressed}
        onPaste={pasted}
      />
      {problem === null ? null : (
        <p id={problemId} className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <div className={styles.foot}>
        <div className={styles.options}>
          <OptionRow />
        </div>
        <span className={styles.saved}>{text.isSaved ? 'draft saved' : null}</span>
        <button
          type="submit"
          className={styles.send}
          aria-label="Send"
          title="Send (Enter)"
          aria-disabled={text.isBlank || lengthProblem(text.chars) !== null}
          // The box keeps the focus, and a phone its keyboard.
          onPointerDown={(event) => event.preventDefault()}
        >
          <Icon name="up" />
        </button>
      </div>
    </form>
  )
}

/** What was sent comes into view; who was inside a thread stays in it. */
function follow(promptId: string, isContinuation: boolean) {
  const place = usePlace.getState()
  if (place.promptId !== null) place.open(promptId)
  else if (isContinuation && place.view === 'field') useSelection.getState().select(promptId)
  useCameraIntent.getState().reveal(promptId)
}

/** Whether the field is known and has no such prompt: an old link, or one that was removed elsewhere. */
function useIsGone(promptId: string | null): boolean {
  const isEmpty = useLayout().ids.length === 0
  const { layout } = useSync().state
  return promptId !== null && !isEmpty && !layout.has(promptId)
}

/** What could be continued instead: what is open, else what is selected, else what was sent last. */
function useAlternative(lastId: string | null): string | null {
  const openId = usePlace((place) => place.promptId)
  const selectedId = useSelection(({ ids }) => (ids.size === 1 ? ([...ids][0] ?? null) : null))
  return openId ?? selectedId ?? lastId
}
