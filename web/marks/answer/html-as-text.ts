/** As much of a Markdown tree as this needs to know. */
type Node = { type: string; value?: unknown; children?: Node[] }

/**
 * A remark plugin: markup that a model wrote is shown as it was written, never obeyed and never lost. Only a
 * line break is one, since it is the sole way to break a line within a table.
 */
export function htmlAsText(): (tree: Node) => void {
  return (tree) => rewrite(tree, true)
}

function rewrite(parent: Node, holdsBlocks: boolean): void {
  if (!parent.children) return
  parent.children = parent.children.map((child) => {
    if (child.type !== 'html') {
      rewrite(child, blockParents.has(child.type))
      return child
    }
    const text: Node = { type: 'text', value: child.value }
    if (holdsBlocks) return { type: 'paragraph', children: [text] }
    return /^<br\s*\/?>$/i.test(String(child.value)) ? { type: 'break' } : text
  })
}

const blockParents: ReadonlySet<string> = new Set(['root', 'blockquote', 'listItem', 'footnoteDefinition'])
