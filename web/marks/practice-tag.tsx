import styles from './practice-tag.module.css'

/** Stands wherever an answer of the practice provider is shown: no model wrote it. */
export function PracticeTag() {
  return <span className={styles.tag}>practice</span>
}
