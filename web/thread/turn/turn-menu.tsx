import { useDeletion } from '../../session/deletion-store.ts'
import { IconButton } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'

/** What is seldom wanted of one prompt. */
export function TurnMenu({ promptId, isRunning }: { promptId: string; isRunning: boolean }) {
  const askFor = useDeletion((deletion) => deletion.askFor)
  return (
    <Menu
      label="More of this prompt"
      align="end"
      button={<IconButton small icon="dots" label="More of this prompt" />}
    >
      <MenuItem
        icon="cross"
        disabled={isRunning}
        hint={isRunning ? 'stop it first' : undefined}
        onSelect={() => askFor({ kind: 'prompt', id: promptId })}
      >
        Delete…
      </MenuItem>
    </Menu>
  )
}
