import { type ComponentType, useEffect, useState } from 'react'
import { classNames } from '../../ui/class-names.ts'
import styles from './answer.module.css'

type MarkdownProps = { text: string; streaming: boolean }

/** Kept once it is there, so that later answers are drawn whole in their first frame. */
let markdown: ComponentType<MarkdownProps> | null = null

/** Fetches the Markdown code ahead of the first answer: for an idle moment. Failing is harmless. */
export async function loadMarkdown(): Promise<void> {
  markdown = (await import('./answer-markdown.tsx')).default
}

/**
 * What a model said, in the serif. Plain text until the Markdown code has come, and for good if it cannot
 * (the server may be away): an answer that is here is never hidden behind something that is not.
 */
export function AnswerText({
  text,
  streaming = false,
  className,
}: {
  text: string
  /** More is to come: draws the caret at the end. */
  streaming?: boolean
  className?: string
}) {
  const Markdown = useMarkdown()
  return (
    <div className={classNames(styles.answer, streaming && styles.streaming, className)} dir="auto">
      {Markdown ? (
        <Markdown text={text} streaming={streaming} />
      ) : (
        <div className={styles.group}>
          <p className={styles.plain} dir="auto">
            {text}
          </p>
        </div>
      )}
    </div>
  )
}

function useMarkdown(): ComponentType<MarkdownProps> | null {
  const [, setLoaded] = useState(markdown !== null)
  useEffect(() => {
    if (markdown !== null) return
    let gone = false
    loadMarkdown().then(
      () => {
        if (!gone) setLoaded(true)
      },
      () => {
        // stays plain text; the next answer that opens asks again
      },
    )
    return () => {
      gone = true
    }
  }, [])
  return markdown
}
