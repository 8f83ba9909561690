import type { ComponentProps, ReactNode } from 'react'
import type { Components, ExtraProps } from 'react-markdown'
import { CopyButton } from '../../ui/copy-button.tsx'
import styles from './answer.module.css'
import { safeLink } from './safe-link.ts'

/**
 * How the parts of an answer are drawn. Nothing loads anything: an image is a link to itself. Each block
 * takes its direction from its own text. Headings stand below those of the page (a turn is of level 3).
 */
export const answerElements: Components = {
  a: ({ href, children }) => <AnswerLink address={href}>{children}</AnswerLink>,
  img: ({ src, alt }) => (
    <AnswerLink address={typeof src === 'string' ? src : undefined}>image: {alt || 'untitled'}</AnswerLink>
  ),
  p: ({ children }) => <p dir="auto">{children}</p>,
  blockquote: ({ children }) => <blockquote dir="auto">{children}</blockquote>,
  ul: ({ children }) => <ul dir="auto">{children}</ul>,
  ol: ({ children, start }) => (
    <ol dir="auto" start={start}>
      {children}
    </ol>
  ),
  li: ({ children }) => <li dir="auto">{children}</li>,
  h1: ({ children }) => <h4 dir="auto">{children}</h4>,
  h2: ({ children }) => <h4 dir="auto">{children}</h4>,
  h3: ({ children }) => <h5 dir="auto">{children}</h5>,
  h4: ({ children }) => <h5 dir="auto">{children}</h5>,
  h5: ({ children }) => <h6 dir="auto">{children}</h6>,
  h6: ({ children }) => <h6 dir="auto">{children}</h6>,
  td: ({ children, style }) => (
    <td dir="auto" style={style}>
      {children}
    </td>
  ),
  th: ({ children, style }) => (
    <th dir="auto" scope="col" style={style}>
      {children}
    </th>
  ),
  table: ({ children }) => (
    <div className={styles.scroller} {...scrolledByKeys}>
      <table>{children}</table>
    </div>
  ),
  pre: CodeBlock,
  code: ({ children }) => <code dir="ltr">{children}</code>,
}

/** A wide table scrolls sideways; it holds nothing that could take the focus, so it does so itself. */
const scrolledByKeys = { tabIndex: 0, role: 'group', 'aria-label': 'Table' } as const

function AnswerLink({ address, children }: { address: string | undefined; children: ReactNode }) {
  const safe = safeLink(address)
  if (safe === null) return <span className={styles.inert}>{children}</span>
  return (
    <a href={safe} target="_blank" rel="noopener noreferrer" title={safe}>
      {children}
    </a>
  )
}

function CodeBlock({ node, children }: ComponentProps<'pre'> & ExtraProps) {
  const code = node?.children[0]
  const language = code?.type === 'element' ? languageOf(code.properties.className) : null
  return (
    <figure className={styles.code} dir="ltr">
      <figcaption>
        <span>{language ?? 'code'}</span>
        <CopyButton text={() => textOf(node).replace(/\n$/, '')} />
      </figcaption>
      <pre>{children}</pre>
    </figure>
  )
}

function languageOf(classes: unknown): string | null {
  if (!Array.isArray(classes)) return null
  const name = classes.find((value) => typeof value === 'string' && value.startsWith('language-'))
  return typeof name === 'string' ? name.slice('language-'.length) : null
}

type Textual = { readonly type: string; readonly value?: unknown; readonly children?: readonly Textual[] }

function textOf(node: Textual | undefined): string {
  if (!node) return ''
  if (node.type === 'text') return String(node.value)
  return (node.children ?? []).map(textOf).join('')
}
