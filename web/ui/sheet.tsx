import { Dialog } from 'radix-ui'
import type { CSSProperties, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './sheet.module.css'
import { VisuallyHidden } from './visually-hidden.tsx'

export type SheetProps = {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** Its name, said when it opens. The visible title, if any, is part of the children. */
  readonly label: string
  /** Where it stands: high for what is read, `middle` for a table of keys; a phone gives it the whole screen if `full`. */
  readonly place?: 'high' | 'middle'
  readonly full?: boolean
  /** Width in pixels; never wider than the screen. */
  readonly width?: number
  readonly className?: string
  /** Takes the focus when the sheet opens; else the first control within does. */
  readonly onOpenAutoFocus?: (event: Event) => void
  readonly children: ReactNode
}

/**
 * A sheet that asks for attention: dims the field, keeps the focus, closes with Esc or a press beside it, and
 * gives the focus back.
 */
export function Sheet({
  open,
  onOpenChange,
  label,
  place = 'high',
  full,
  width,
  children,
  ...rest
}: SheetProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles.scrim} />
        <Dialog.Content
          className={classNames(styles.sheet, styles[place], full && styles.full, rest.className)}
          style={width === undefined ? undefined : widthStyle(width)}
          aria-describedby={undefined}
          {...(rest.onOpenAutoFocus ? { onOpenAutoFocus: rest.onOpenAutoFocus } : {})}
        >
          <VisuallyHidden>
            <Dialog.Title>{label}</Dialog.Title>
          </VisuallyHidden>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** Wraps a button within the sheet that closes it. */
export const SheetClose = Dialog.Close

/** A property, not a width, so that a phone's style sheet can overrule it. */
function widthStyle(width: number): CSSProperties {
  const style: CSSProperties & { '--sheet-width': string } = { '--sheet-width': `${width}px` }
  return style
}
