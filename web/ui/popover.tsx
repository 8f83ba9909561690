import { Popover as Radix } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'
import styles from './menu.module.css'

/** A small sheet at its button, without a scrim: closes with Esc, or when something else is pressed. */
export function Popover({
  label,
  button,
  open,
  onOpenChange,
  width,
  align = 'end',
  children,
}: {
  label: string
  /** The control that opens it; gets `aria-expanded` by itself. */
  button: ReactElement
  open?: boolean
  onOpenChange?: (open: boolean) => void
  width?: number
  align?: 'start' | 'center' | 'end'
  children: ReactNode
}) {
  return (
    <Radix.Root {...(open === undefined ? {} : { open })} {...(onOpenChange ? { onOpenChange } : {})}>
      <Radix.Trigger asChild>{button}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className={styles.popover}
          style={width === undefined ? undefined : { width }}
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={12}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
