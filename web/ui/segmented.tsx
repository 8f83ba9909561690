import { classNames } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'
import styles from './segmented.module.css'

export type Segment<Value extends string> = {
  readonly value: Value
  readonly label: string
  readonly icon?: IconName
}

/** One of a few views, all of them in sight. `raised` stands on open water, with a surface of its own. */
export function Segmented<Value extends string>({
  label,
  segments,
  value,
  onChange,
  raised = false,
}: {
  label: string
  segments: readonly Segment<Value>[]
  value: Value
  onChange: (value: Value) => void
  raised?: boolean
}) {
  return (
    <fieldset className={classNames(styles.segmented, raised && styles.raised)} aria-label={label}>
      {segments.map((segment) => (
        <button
          key={segment.value}
          type="button"
          className={styles.segment}
          aria-pressed={segment.value === value}
          onClick={() => onChange(segment.value)}
        >
          {segment.icon ? <Icon name={segment.icon} /> : null}
          {segment.label}
        </button>
      ))}
    </fieldset>
  )
}
