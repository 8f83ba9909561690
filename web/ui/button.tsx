import type { ComponentProps, ReactNode } from 'react'
import styles from './button.module.css'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

export type ButtonProps = ComponentProps<'button'> & {
  /** `main` is the one thing to do, `line` the other, `plain` everything else. */
  readonly variant?: 'plain' | 'line' | 'main'
  /** Inside panels and rows: 26 px high, 40 for a finger. */
  readonly small?: boolean
  readonly icon?: IconName
  readonly iconAfter?: IconName
}

export function Button({
  variant = 'plain',
  small,
  icon,
  iconAfter,
  className,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classNames(styles.button, styles[variant], small && styles.small, className)}
    >
      {icon ? <Icon name={icon} /> : null}
      {children}
      {iconAfter ? <Icon name={iconAfter} small /> : null}
    </button>
  )
}

export type IconButtonProps = Omit<ComponentProps<'button'>, 'children' | 'aria-label'> & {
  readonly icon: IconName
  /** Its name, said and shown as a tooltip. */
  readonly label: string
  /** A key that does the same, shown in the tooltip. */
  readonly keyHint?: string
  readonly variant?: 'plain' | 'line' | 'main'
  readonly small?: boolean
}

export function IconButton({
  icon,
  label,
  keyHint,
  variant = 'plain',
  small,
  className,
  ...rest
}: IconButtonProps) {
  return (
    <button
      type="button"
      title={keyHint ? `${label} (${keyHint})` : label}
      {...rest}
      aria-label={label}
      className={classNames(styles.button, styles.icon, styles[variant], small && styles.small, className)}
    >
      <Icon name={icon} />
    </button>
  )
}

/** A word within a sentence that does something; 24 px high at least. */
export function LinkButton({
  className,
  children,
  ...rest
}: ComponentProps<'button'> & { children: ReactNode }) {
  return (
    <button type="button" {...rest} className={classNames(styles.link, className)}>
      {children}
    </button>
  )
}
