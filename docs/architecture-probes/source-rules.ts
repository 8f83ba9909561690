import ts from 'typescript'

/** What a file may look like. Every rule lists its breaches as `path: what is wrong`; none means the file is fine. */
export interface SourceFile {
  path: string
  text: string
}

export interface SourceRule {
  name: string
  breaches(file: SourceFile): string[]
  /** A file that breaks the rule, to show that it bites. */
  probe: SourceFile
}

const sourceLinesMax = 400
const testLinesMax = 600
const isTest = (path: string) => /\.(test|spec)\.tsx?$/.test(path)
const isTypeScript = (path: string) => /\.tsx?$/.test(path)

export const sourceRules: SourceRule[] = [
  {
    name: 'a file stays within its budget of lines',
    breaches({ path, text }) {
      const lines = linesOf(text)
      const max = isTest(path) ? testLinesMax : sourceLinesMax
      return lines > max ? [`${path}: ${lines} lines, at most ${max}`] : []
    },
    probe: { path: 'bff/store/long.ts', text: 'export {}\n'.repeat(sourceLinesMax + 1) },
  },
  {
    name: 'files and folders are kebab-case',
    breaches({ path }) {
      const kebab = /^(__fixtures__|\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*)$/
      return path.split('/').every((part) => kebab.test(part)) ? [] : [`${path}: not kebab-case`]
    },
    probe: { path: 'web/ui/BigButton.tsx', text: '' },
  },
  {
    name: 'a name says what the file holds',
    breaches({ path }) {
      const vague = path
        .split(/[/.-]/)
        .find((word) => /^(utils?|helpers?|managers?|services?|common|misc)$/.test(word))
      return vague ? [`${path}: "${vague}" says nothing`] : []
    },
    probe: { path: 'bff/http/request-helpers.ts', text: '' },
  },
  {
    name: 'there are no barrels',
    breaches: ({ path }) => (/(^|\/)index\.tsx?$/.test(path) ? [`${path}: a barrel`] : []),
    probe: { path: 'bff/domain/index.ts', text: '' },
  },
  {
    name: 'nothing is typed any',
    breaches(file) {
      if (!isTypeScript(file.path)) return []
      return nodesOf(file, (node) => node.kind === ts.SyntaxKind.AnyKeyword).map((at) => `${at}: any`)
    },
    probe: { path: 'web/sync/a.ts', text: 'export const parsed = JSON.parse("1") as any\n' },
  },
  {
    name: 'no check is silenced',
    breaches({ path, text }) {
      // Spelled in pieces, so that this file keeps its own rule.
      const silenced = new RegExp(
        `@ts${'-'}(ignore|nocheck|expect-error)|biome${'-'}ignore|eslint${'-'}disable`,
      )
      return text.split('\n').flatMap((line, index) => (silenced.test(line) ? [`${path}:${index + 1}`] : []))
    },
    probe: { path: 'bff/cli/a.ts', text: `// @ts${'-'}ignore\nexport {}\n` },
  },
  {
    name: 'no test is focused or skipped',
    breaches(file) {
      if (!isTest(file.path)) return []
      const off = /^(it|test|describe|suite)(\.\w+)*\.(only|skip|todo|skipIf|runIf|fails|fixme)$/
      const calls = nodesOf(file, (node) => ts.isPropertyAccessExpression(node) && off.test(node.getText()))
      const short = nodesOf(
        file,
        (node) => ts.isIdentifier(node) && /^(xit|fit|xdescribe|fdescribe)$/.test(node.text),
      )
      return [...calls, ...short]
    },
    probe: { path: 'shared/a.test.ts', text: 'test.skip("later", () => {})\n' },
  },
  {
    name: 'only web/sync talks to the server',
    breaches(file) {
      if (!/^web\//.test(file.path) || /^web\/sync\//.test(file.path) || isTest(file.path)) return []
      return nodesOf(file, (node) => {
        if (ts.isCallExpression(node))
          return /^(window\.|globalThis\.)?fetch$/.test(node.expression.getText())
        return ts.isNewExpression(node) && /^(EventSource|XMLHttpRequest)$/.test(node.expression.getText())
      })
    },
    probe: { path: 'web/compose/a.ts', text: 'export const answer = await fetch("/api/v1/prompt")\n' },
  },
]

/** Lines as an editor counts them. */
export function linesOf(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length
}

function nodesOf({ path, text }: SourceFile, wanted: (node: ts.Node) => boolean): string[] {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const parsed = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind)
  const found: string[] = []
  const visit = (node: ts.Node) => {
    if (wanted(node)) found.push(`${path}:${parsed.getLineAndCharacterOfPosition(node.getStart()).line + 1}`)
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  return found
}
