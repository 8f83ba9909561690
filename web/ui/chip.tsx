import type { ComponentProps, ReactNode } from 'react'
import styles from './chip.module.css'
import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

export type ChipTone = 'salmon' | 'amber' | 'ink'

/** The way out beside a mark: *Retry*, *Continue*. */
export function Chip({
  tone = 'ink',
  icon,
  className,
  children,
  ...rest
}: ComponentProps<'button'> & { tone?: ChipTone; icon?: IconName }) {
  return (
    <button type="button" {...rest} className={classNames(styles.chip, styles[tone], className)}>
      {icon ? <Icon name={icon} small /> : null}
      {children}
    </button>
  )
}

/** Two ways out in one outline: *Keep waiting · Stop*. Its children are `ChipPart`s. */
export function SplitChip({
  tone = 'amber',
  label,
  children,
}: {
  tone?: ChipTone
  label: string
  children: ReactNode
}) {
  return (
    <fieldset aria-label={label} className={classNames(styles.chip, styles.split, styles[tone])}>
      {children}
    </fieldset>
  )
}

export function ChipPart({ className, ...rest }: ComponentProps<'button'>) {
  return <button type="button" {...rest} className={classNames(styles.part, className)} />
}
