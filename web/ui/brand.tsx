/** The product's sign: a drop that has just landed. */
export function Brand({ size = 22 }: { size?: number }) {
  return (
    <svg viewBox="0 0 24 24" width={size} height={size} fill="none" stroke="currentColor" aria-hidden="true">
      <circle cx="12" cy="12" r="3.2" fill="currentColor" stroke="none" />
      <circle cx="12" cy="12" r="6.7" strokeWidth="1.5" />
      <circle cx="12" cy="12" r="10.4" strokeWidth="1.1" opacity=".5" />
    </svg>
  )
}
