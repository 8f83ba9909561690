import { themes, useTheme } from '../../session/theme-store.ts'
import { useSession } from '../../sync/hooks.ts'
import { IconButton } from '../../ui/button.tsx'
import { Menu, MenuChoice, MenuChoices } from '../../ui/menu.tsx'

const words = { system: 'As the system has it', light: 'Light', dark: 'Dark' } as const

/** What concerns the page as a whole. */
export function PageMenu() {
  const { theme, choose } = useTheme()
  const session = useSession()
  return (
    <Menu
      label="Appearance"
      align="end"
      button={<IconButton icon="dots" label="More" />}
      footnote={session === undefined ? undefined : `${session.person.name} · version ${session.version}`}
    >
      <MenuChoices
        value={theme}
        onChange={(value) => choose(themes.find((each) => each === value) ?? 'system')}
      >
        {themes.map((each) => (
          <MenuChoice key={each} value={each}>
            {words[each]}
          </MenuChoice>
        ))}
      </MenuChoices>
    </Menu>
  )
}
