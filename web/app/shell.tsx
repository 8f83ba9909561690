import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { Composer } from '../compose/composer.tsx'
import { FieldView } from '../field/field-view.tsx'
import { FirstRun } from '../first-run/first-run.tsx'
import { loadMarkdown } from '../marks/answer/answer-text.tsx'
import { usePlace } from '../session/place-store.ts'
import { usePreferences } from '../session/preferences-store.ts'
import { useFeedStatus, usePromptIds, useSession } from '../sync/hooks.ts'
import { ThreadPanel } from '../thread/thread-panel.tsx'
import { classNames } from '../ui/class-names.ts'
import { VisuallyHidden } from '../ui/visually-hidden.tsx'
import { NotReached } from './asks/not-reached.tsx'
import { NoticeBoard } from './asks/notice-board.tsx'
import { StandingAsks } from './asks/standing-asks.tsx'
import { TopBar } from './bar/top-bar.tsx'
import { bindEscape, bindKeyboardInset, bindOpenPrompt, bindSingleKeys } from './bind-page.ts'
import { ChangeAnnouncer } from './change-announcer.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { LateDeleteDialog } from './late-delete-dialog.tsx'
import { LateList, loadList } from './late-list.tsx'
import { useIsNarrow, useIsRoomy } from './screen-width.ts'
import styles from './shell.module.css'

/** Width of a panel with the margins at its sides. */
const panelPx = 556
const barPx = 56
const composePx = 150

/** Features side by side. They know nothing of each other; what one tells the other goes through the session. */
export function Shell() {
  const { view, promptId } = usePlace()
  const isNarrow = useIsNarrow()
  const isRoomy = useIsRoomy()
  useBoundPage()
  const rightPx = promptId !== null && isRoomy ? panelPx : 0
  const insets = useMemo(() => ({ top: barPx, right: rightPx, bottom: composePx, left: 0 }), [rightPx])
  return (
    <div
      className={classNames(
        styles.shell,
        promptId !== null && styles.reading,
        rightPx > 0 && styles.narrowed,
      )}
    >
      <TopBar />
      <main className={styles.main}>
        <ErrorBoundary what={view === 'list' ? 'The list' : 'The field'} resetKey={view}>
          <Main
            field={<FieldView insets={insets} form={isNarrow ? 'phone' : 'desk'} />}
            list={<LateList />}
            view={view}
          />
        </ErrorBoundary>
      </main>
      {promptId === null ? null : (
        <ErrorBoundary what="The thread" resetKey={promptId}>
          <ThreadPanel promptId={promptId} />
        </ErrorBoundary>
      )}
      <ErrorBoundary what="The compose bar">
        <Composer />
      </ErrorBoundary>
      <StandingAsks />
      <NoticeBoard />
      <LateDeleteDialog />
      <ChangeAnnouncer />
    </div>
  )
}

function Main({ field, list, view }: { field: ReactNode; list: ReactNode; view: 'field' | 'list' }) {
  const isEmpty = usePromptIds().length === 0
  const { mode } = useFeedStatus()
  const [wasRead, setWasRead] = useState(false)
  useEffect(() => {
    if (mode === 'live' || mode === 'polling') setWasRead(true)
  }, [mode])
  if (!isEmpty) {
    return (
      <>
        <VisuallyHidden>
          <h1>{view === 'list' ? 'List of prompts' : 'Field of prompts'}</h1>
        </VisuallyHidden>
        {view === 'list' ? list : field}
      </>
    )
  }
  if (wasRead) return <FirstRun />
  return mode === 'offline' ? <NotReached /> : null
}

function useBoundPage(): void {
  const settings = useSession()?.settings
  useEffect(() => {
    const undo = [bindOpenPrompt(), bindEscape(window), bindSingleKeys(window), bindKeyboardInset(window)]
    return () => {
      for (const each of undo) each()
    }
  }, [])
  useEffect(() => {
    if (settings) usePreferences.getState().adopt({ debug: settings.debug, singleKeys: settings.single_keys })
  }, [settings])
  useEffect(() => {
    // What is wanted next is fetched after the first sign of life, so that it delays no first frame and is here
    // when the server is away.
    const fetchAhead = () => {
      void loadMarkdown().catch(() => undefined)
      void loadList().catch(() => undefined)
    }
    const signs = ['pointerdown', 'keydown'] as const
    for (const sign of signs) window.addEventListener(sign, fetchAhead, { once: true })
    return () => {
      for (const sign of signs) window.removeEventListener(sign, fetchAhead)
    }
  }, [])
}
