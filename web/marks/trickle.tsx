import styles from './trickle.module.css'

const lastCharacters = 120

/** The last words of a running answer, sliding in from the right. Not announced: tokens never are. */
export function Trickle({ text }: { text: string }) {
  return (
    <span className={styles.trickle} aria-hidden="true">
      <span>
        {lastWords(text)}
        <Caret />
      </span>
    </span>
  )
}

/** Where more text is about to appear. */
export function Caret() {
  return <i className={styles.caret} />
}

/** One line, however the answer is broken; cut between whole characters. */
function lastWords(text: string): string {
  const end = text.slice(-lastCharacters * 2).replace(/\s+/g, ' ')
  return [...end].slice(-lastCharacters).join('')
}
