import type { ComponentProps } from 'react'
import { classNames } from '../ui/class-names.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import styles from './option-button.module.css'

/** Shows the value of an option; its name is the tooltip and the accessible label. A changed one is a filled pill. */
export function OptionButton({
  icon,
  name,
  value,
  strong = false,
  changed = false,
  ...rest
}: Omit<ComponentProps<'button'>, 'children' | 'name' | 'value'> & {
  icon: IconName
  name: string
  value: string
  strong?: boolean
  changed?: boolean
}) {
  return (
    <button
      type="button"
      title={name}
      {...rest}
      aria-label={`${name}: ${value}`}
      className={classNames(styles.option, changed && styles.changed)}
    >
      <Icon name={icon} />
      {strong ? <b>{value}</b> : value}
      {strong ? <Icon name="down" small /> : null}
    </button>
  )
}
