import { memo, useEffect, useMemo, useState } from 'react'
import Markdown from 'react-markdown'
import rehypeSanitize from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import styles from './answer.module.css'
import { answerElements } from './answer-elements.tsx'
import { htmlAsText } from './html-as-text.ts'
import { hasFootnotes, linkDefinitions, splitBlocks } from './split-blocks.ts'

/** Blocks per group: a group is what a browser may leave undrawn out of view, and what is parsed in one frame. */
const groupSize = 20
const onePieceCharsMax = 200_000
const remarkPlugins = [remarkGfm, htmlAsText]
const rehypePlugins = [rehypeSanitize]

/**
 * Markdown of an answer, safe and growing. Text that arrives at the end costs its own blocks only; a long
 * answer that is there at once is parsed a group a frame, and stands as plain text until its turn.
 */
export default function AnswerMarkdown({ text, streaming }: { text: string; streaming: boolean }) {
  const blocks = useMemo(
    () => (!streaming && text.length <= onePieceCharsMax && hasFootnotes(text) ? [text] : splitBlocks(text)),
    [text, streaming],
  )
  const definitions = useMemo(() => linkDefinitions(blocks), [blocks])
  const groups: string[][] = []
  for (let at = 0; at < blocks.length; at += groupSize) groups.push(blocks.slice(at, at + groupSize))
  const ready = useGrowing(groups.length)
  return groups.map((group, index) => (
    // blocks only ever grow at the end, so a place is an identity
    <div key={`group-${String(index)}`} className={styles.group}>
      {group.map((block, place) =>
        index < ready ? (
          <Block key={`block-${String(place)}`} text={withDefinitions(block, definitions)} />
        ) : (
          <p key={`block-${String(place)}`} className={styles.plain} dir="auto">
            {block}
          </p>
        ),
      )}
    </div>
  ))
}

const Block = memo(function Block({ text }: { text: string }) {
  return (
    <Markdown
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      components={answerElements}
      urlTransform={keepAddress}
    >
      {text}
    </Markdown>
  )
})

/** Addresses are judged where links are drawn, by one rule for links and images. */
const keepAddress = (address: string) => address

function withDefinitions(block: string, definitions: string): string {
  return definitions !== '' && block.includes('[') ? `${block}\n\n${definitions}` : block
}

/** Counts up to `goal`, one a frame from the first, so that no frame parses more than a group. */
function useGrowing(goal: number): number {
  const [ready, setReady] = useState(1)
  useEffect(() => {
    if (ready >= goal) return
    const frame = requestAnimationFrame(() => setReady((count) => count + 1))
    return () => cancelAnimationFrame(frame)
  }, [ready, goal])
  return ready
}
