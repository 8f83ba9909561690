import { type ComponentProps, useId } from 'react'
import { classNames } from './class-names.ts'
import styles from './text-field.module.css'

/** A labelled line of text. A problem names what is wrong and is tied to the field; a hint says what helps. */
export function TextField({
  label,
  hint,
  problem,
  className,
  ...rest
}: ComponentProps<'input'> & { label: string; hint?: string; problem?: string | undefined }) {
  const id = useId()
  const note = problem ?? hint
  return (
    <div className={classNames(styles.field, className)}>
      <label htmlFor={id}>{label}</label>
      <input
        type="text"
        autoComplete="off"
        spellCheck={false}
        {...rest}
        id={id}
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
      />
      {note === undefined ? null : (
        <p id={`${id}-note`} className={problem === undefined ? undefined : styles.problem}>
          {note}
        </p>
      )}
    </div>
  )
}

/** On or off, at once. */
export function Toggle({
  label,
  checked,
  onChange,
}: {
  label: string
  checked: boolean
  onChange: (checked: boolean) => void
}) {
  return (
    <label className={styles.toggle}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}
