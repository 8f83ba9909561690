import { useMemo, useRef } from 'react'
import { Instant } from '../marks/instant.tsx'
import { dateText } from '../marks/time-text.ts'
import { useDeletion } from '../session/deletion-store.ts'
import { usePlace } from '../session/place-store.ts'
import { useReading } from '../session/use-reading.ts'
import { useIsDeleted, useLayout, usePromptStates, usePromptView, useShown } from '../sync/hooks.ts'
import { useSync } from '../sync/sync-context.tsx'
import { useThread } from '../sync/use-thread.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import styles from './thread-panel.module.css'
import { branchCount, threadPath } from './thread-path.ts'
import { BranchTabs } from './turn/branch-tabs.tsx'
import { Turn } from './turn/turn.tsx'
import { usePanelFocus } from './use-panel-focus.ts'
import { useScrollKeeper } from './use-scroll-keeper.ts'

/** The thread of the prompt that is open, read from top to bottom. */
export function ThreadPanel({ promptId }: { promptId: string }) {
  const { layout } = useSync().state
  // A prompt that the field does not have may still be on its way here.
  useLayout()
  const view = usePromptView(promptId)
  const threadId = layout.placing(promptId)?.threadId ?? view?.correlation_id
  const isDeleted = useIsDeleted(promptId)
  const panel = useRef<HTMLElement>(null)
  usePanelFocus(panel, promptId)
  return (
    <aside ref={panel} className={styles.panel} aria-label="Thread">
      {isDeleted || threadId === undefined ? (
        <Missing isDeleted={isDeleted} />
      ) : (
        <Thread threadId={threadId} openId={promptId} />
      )}
    </aside>
  )
}

function Thread({ threadId, openId }: { threadId: string; openId: string }) {
  const scroller = useRef<HTMLDivElement>(null)
  const { layout } = useSync().state
  const { promptIds, title, isLoading, error, hasMore, loadMore } = useThread(threadId)
  const states = usePromptStates()
  const path = useMemo(
    () => threadPath(promptIds, (id) => layout.placing(id)?.parentId ?? null, openId),
    [promptIds, layout, openId],
  )
  const isMoving = (id: string) => ['queued', 'running'].includes(states.get(id)?.state ?? '')
  const runningKey = path
    .map(({ promptId }) => promptId)
    .filter((id) => states.get(id)?.state === 'running')
    .join(' ')
  useShown(
    'thread',
    useMemo(() => (runningKey === '' ? [] : runningKey.split(' ')), [runningKey]),
  )
  const { linesBelow, goToEnd } = useScrollKeeper(
    scroller,
    openId,
    path.at(-1)?.promptId === openId && isMoving(openId),
  )
  return (
    <>
      <Header threadId={threadId} title={title} promptIds={promptIds} />
      <section className={styles.scroller} ref={scroller} aria-label="Turns" {...scrolledByKeys}>
        <div className={styles.content}>
          {error === null ? null : (
            <p className={styles.note} role="alert">
              Not all could be read: {error}
            </p>
          )}
          {path[0] !== undefined && path[0].branches.length > 1 ? (
            <BranchTabs branches={path[0].branches} openId={path[0].promptId} />
          ) : null}
          <ol>
            {path.map(({ promptId }, at) => (
              <Turn
                key={promptId}
                promptId={promptId}
                isOpen={promptId === openId}
                mayRead={!isLoading}
                {...branchesOf(path[at + 1])}
              />
            ))}
          </ol>
          {hasMore ? (
            <Button small variant="line" onClick={loadMore}>
              Read more turns
            </Button>
          ) : null}
        </div>
      </section>
      {linesBelow > 0 ? (
        <Button className={styles.below} variant="main" icon="down" onClick={goToEnd}>
          {linesBelow.toLocaleString('en')} new {linesBelow === 1 ? 'line' : 'lines'}
        </Button>
      ) : null}
    </>
  )
}

/** A long answer is scrolled with the arrow keys too. */
const scrolledByKeys = { tabIndex: 0 } as const

function branchesOf(next: { promptId: string; branches: readonly string[] } | undefined) {
  return next === undefined ? {} : { branches: next.branches, nextId: next.promptId }
}

function Header({
  threadId,
  title,
  promptIds,
}: {
  threadId: string
  title: string | undefined
  promptIds: readonly string[]
}) {
  const { layout } = useSync().state
  const reading = useReading()
  const sinceMs = layout.placing(promptIds[0] ?? threadId)?.createdAt
  const branches = branchCount(promptIds, (id) => layout.placing(id)?.parentId ?? null)
  const facts = [
    `${promptIds.length.toLocaleString('en')} ${promptIds.length === 1 ? 'prompt' : 'prompts'}`,
    ...(branches > 1 ? [`${branches} branches`] : []),
  ]
  return (
    <header className={styles.header}>
      <CloseButton place="before" />
      <div className={styles.titles}>
        <h2 dir="auto" tabIndex={-1} data-panel-title>
          {title ?? 'Thread'}
        </h2>
        <p>
          {facts.join(' · ')}
          {sinceMs === undefined || !Number.isFinite(sinceMs) ? null : (
            <>
              {' · '}
              <Instant atMs={sinceMs}>{`since ${dateText(sinceMs, reading)}`}</Instant>
            </>
          )}
        </p>
      </div>
      <ThreadMenu threadId={threadId} />
      <CloseButton place="after" />
    </header>
  )
}

function ThreadMenu({ threadId }: { threadId: string }) {
  const askFor = useDeletion((deletion) => deletion.askFor)
  return (
    <Menu
      label="More of this thread"
      align="end"
      button={<IconButton icon="dots" label="More of this thread" />}
    >
      <MenuItem icon="cross" onSelect={() => askFor({ kind: 'thread', id: threadId })}>
        Delete thread…
      </MenuItem>
    </Menu>
  )
}

/** Back on a phone, at the left; a cross elsewhere, at the right. */
function CloseButton({ place }: { place: 'before' | 'after' }) {
  const close = usePlace((store) => store.close)
  return (
    <span className={styles[place]}>
      {place === 'before' ? (
        <IconButton icon="left" label="Back" onClick={close} />
      ) : (
        <IconButton icon="cross" label="Close" keyHint="Esc" onClick={close} />
      )}
    </span>
  )
}

function Missing({ isDeleted }: { isDeleted: boolean }) {
  return (
    <>
      <header className={styles.header}>
        <CloseButton place="before" />
        <div className={styles.titles}>
          <h2 tabIndex={-1} data-panel-title>
            {isDeleted ? 'Deleted' : 'Not here'}
          </h2>
        </div>
        <CloseButton place="after" />
      </header>
      <p className={styles.note}>
        {isDeleted
          ? 'This prompt was deleted, here or in another window.'
          : 'There is no such prompt among yours. It may have been deleted, or the link belongs to somebody else.'}
      </p>
    </>
  )
}
