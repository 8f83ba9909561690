import styles from './first-run.module.css'

const radii = [90, 170, 265, 375, 500, 640]

/** Rings where the first drop will land: there is no time yet, so there are no contours. */
export function Ripples() {
  return (
    <svg className={styles.ripples} viewBox="-700 -700 1400 1400" aria-hidden="true">
      {radii.map((radius, at) => (
        <circle key={radius} r={radius} opacity={1 - at * 0.13} />
      ))}
    </svg>
  )
}
