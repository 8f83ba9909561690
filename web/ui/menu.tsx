import { DropdownMenu } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { Kbd } from './kbd.tsx'
import styles from './menu.module.css'

/** A list of things to do or to choose from, at its button. */
export function Menu({
  label,
  button,
  align = 'start',
  side = 'bottom',
  footnote,
  children,
}: {
  label: string
  /** The control that opens it; gets `aria-expanded` by itself. */
  button: ReactElement
  align?: 'start' | 'end'
  side?: 'top' | 'bottom'
  /** A sentence below the choices. */
  footnote?: ReactNode
  children: ReactNode
}) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{button}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className={styles.menu}
          aria-label={label}
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={12}
          loop
        >
          {children}
          {footnote ? <p className={styles.footnote}>{footnote}</p> : null}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

export function MenuItem({
  icon,
  hint,
  keyHint,
  disabled = false,
  onSelect,
  children,
}: {
  icon?: IconName
  /** What the choice means, at its end. */
  hint?: ReactNode
  keyHint?: string
  disabled?: boolean
  onSelect: () => void
  children: ReactNode
}) {
  return (
    <DropdownMenu.Item className={styles.item} disabled={disabled} onSelect={onSelect}>
      {icon ? <Icon name={icon} /> : null}
      <span className={styles.name}>{children}</span>
      {hint ? <span className={styles.hint}>{hint}</span> : null}
      {keyHint ? <Kbd>{keyHint}</Kbd> : null}
    </DropdownMenu.Item>
  )
}

/** Choices of which one holds; its children are `MenuChoice`s. */
export function MenuChoices<Value extends string>({
  value,
  onChange,
  children,
}: {
  value: Value
  onChange: (value: string) => void
  children: ReactNode
}) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={onChange}>
      {children}
    </DropdownMenu.RadioGroup>
  )
}

export function MenuChoice({
  value,
  hint,
  disabled = false,
  children,
}: {
  value: string
  hint?: ReactNode
  disabled?: boolean
  children: ReactNode
}) {
  return (
    <DropdownMenu.RadioItem className={styles.item} value={value} disabled={disabled}>
      <span className={styles.tick}>
        <DropdownMenu.ItemIndicator>
          <Icon name="check" />
        </DropdownMenu.ItemIndicator>
      </span>
      <span className={styles.name}>{children}</span>
      {hint ? <span className={styles.hint}>{hint}</span> : null}
    </DropdownMenu.RadioItem>
  )
}

export function MenuLine() {
  return <DropdownMenu.Separator className={styles.line} />
}
