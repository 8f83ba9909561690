import type { PromptView } from '../../../shared/prompt-view.ts'
import { Disc } from '../../marks/disc.tsx'
import { shortTitle } from '../../marks/short-title.ts'
import { usePromptLook } from '../../marks/use-prompt-look.ts'
import { usePlace } from '../../session/place-store.ts'
import { useReading } from '../../session/use-reading.ts'
import { usePromptView } from '../../sync/hooks.ts'
import styles from './branch-tabs.module.css'

/** Where a thread parts: one button for each way on, the open one pressed. */
export function BranchTabs({
  branches,
  openId,
}: {
  branches: readonly string[]
  openId: string | undefined
}) {
  return (
    <fieldset className={styles.branch} aria-label="Branches from here">
      {branches.map((promptId) => (
        <BranchTab key={promptId} promptId={promptId} isOpen={promptId === openId} />
      ))}
    </fieldset>
  )
}

function BranchTab({ promptId, isOpen }: { promptId: string; isOpen: boolean }) {
  const view = usePromptView(promptId)
  const open = usePlace((place) => place.open)
  return (
    <button
      type="button"
      className={styles.tab}
      aria-pressed={isOpen}
      title={view?.text_excerpt}
      onClick={() => open(promptId)}
    >
      {view === undefined ? null : <BranchDisc view={view} />}
      <span dir="auto">{view === undefined ? 'another way on' : shortTitle(view.text_excerpt, 60)}</span>
    </button>
  )
}

function BranchDisc({ view }: { view: PromptView }) {
  const { look } = usePromptLook(view, useReading())
  return <Disc look={look} mini size={14} phaseOf={view.prompt_id} />
}
