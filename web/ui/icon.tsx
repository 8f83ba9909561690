import type { ReactNode } from 'react'
import styles from './icon.module.css'

/** Drawn in a box of 16 by 16, in the colour of the text beside them. */
const shapes = {
  check: <path d="M3 8.5 6.3 12 13 4.5" />,
  cross: <path d="m4 4 8 8M12 4l-8 8" />,
  pen: <path d="m3 13 .7-3L10.5 3.2a1.4 1.4 0 0 1 2.1 2.1L5.9 12.2z" />,
  anchor: (
    <>
      <circle cx="8" cy="3.5" r="1.6" />
      <path d="M8 5.2V14M2.5 9.5c.4 2.8 2.6 4.5 5.5 4.5s5.1-1.7 5.5-4.5M5.5 7.5h5" />
    </>
  ),
  retry: <path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.5V5h-2.5" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 5v3.2l2 1.3" />
    </>
  ),
  link: <path d="M2.5 8h8M7.5 5l3 3-3 3M13.5 4v8" />,
  line: <path d="M3 4.5h10M3 8h10M3 11.5h6" />,
  stop: <rect x="4" y="4" width="8" height="8" rx="1.5" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.3" />
      <path d="m10.3 10.3 3.2 3.2" />
    </>
  ),
  up: <path d="M8 13V3.5M3.8 7.5 8 3.3l4.2 4.2" />,
  down: <path d="m4 6 4 4 4-4" />,
  right: <path d="m6 4 4 4-4 4" />,
  left: <path d="m10 4-4 4 4 4" />,
  list: <path d="M6 4h7.5M6 8h7.5M6 12h7.5M2.7 4h.1M2.7 8h.1M2.7 12h.1" />,
  field: (
    <>
      <circle cx="4" cy="5" r="1.5" />
      <circle cx="11.5" cy="4" r="1.5" />
      <circle cx="8" cy="11" r="1.5" />
      <path d="M5.5 5 10 4.3M5 6.2l2.2 3.6" />
    </>
  ),
  minus: <path d="M3 8h10" />,
  plus: <path d="M8 3v10M3 8h10" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 3.5v-.2a1 1 0 0 0-1-1H3.5a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h.2" />
    </>
  ),
  branch: (
    <>
      <circle cx="4" cy="3.5" r="1.5" />
      <circle cx="4" cy="12.5" r="1.5" />
      <circle cx="12" cy="6" r="1.5" />
      <path d="M4 5v6M12 7.5c0 2.5-4 2-8 3" />
    </>
  ),
  trace: <path d="M2.5 4h4M5 8h6M9 12h4.5" />,
  dots: <path d="M3.5 8h.1M8 8h.1M12.5 8h.1" strokeWidth="2.2" />,
  key: (
    <>
      <circle cx="5.5" cy="10.5" r="2.8" />
      <path d="m7.6 8.4 5-5M10.5 5.5l1.8 1.8" />
    </>
  ),
  drop: <path d="M8 2.2c2.5 3 4 5 4 7a4 4 0 0 1-8 0c0-2 1.5-4 4-7z" />,
  plug: <path d="M6 2.5v3M10 2.5v3M4 5.5h8V8a4 4 0 0 1-8 0zM8 12v2" />,
  moon: <path d="M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z" />,
  flag: <path d="M3.5 14V2.8M3.5 3.2h8l-1.6 2.7 1.6 2.7h-8" />,
  stack: <path d="m2.5 6 5.5-3 5.5 3L8 9zM2.5 9.5 8 12.5l5.5-3" />,
} satisfies Readonly<Record<string, ReactNode>>

export type IconName = keyof typeof shapes

/** A sign beside a word, silent by itself: a control of its own takes its name from `IconButton`. */
export function Icon({ name, small = false }: { name: IconName; small?: boolean }) {
  return (
    <svg
      className={small ? `${styles.icon} ${styles.small}` : styles.icon}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
    >
      {shapes[name]}
    </svg>
  )
}
