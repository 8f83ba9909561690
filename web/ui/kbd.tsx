import styles from './kbd.module.css'

/** One key as it is printed. */
export function Kbd({ children }: { children: string }) {
  return <kbd className={styles.kbd}>{children}</kbd>
}
