import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { copyText } from './copy-text.ts'

const thanksMs = 1_600

/** Copies what `text` returns at that moment, and says so. */
export function CopyButton({
  text,
  label = 'Copy',
  small = true,
}: {
  text: () => string
  label?: string
  small?: boolean
}) {
  const [said, setSaid] = useState<string | null>(null)
  useEffect(() => {
    if (said === null) return
    const timer = setTimeout(() => setSaid(null), thanksMs)
    return () => clearTimeout(timer)
  }, [said])
  const copy = async () => setSaid((await copyText(text())) ? 'Copied' : 'Not allowed')
  return (
    <Button small={small} icon={said === 'Copied' ? 'check' : 'copy'} onClick={copy}>
      <span aria-live="polite">{said ?? label}</span>
    </Button>
  )
}
