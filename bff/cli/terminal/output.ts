/** A column of a table: its heading, and the text of a row in it. */
export interface Column<Row> {
  heading: string
  of(row: Row): string | number | null
}

/** One JSON document, for programs. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Rows under headings, for people; `none` is what stands there without rows. */
export function printTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], none: string): void {
  print(rows.length === 0 ? none : tableText(columns, rows))
}

export function tableText<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = [
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map(({ of }) => visible(String(of(row) ?? '–')))),
  ]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)))
  return cells
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/**
 * Text that prints as what it is, on one line: prompts and error messages come from anywhere, and a terminal obeys
 * control characters.
 */
export function visible(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\u{${code.toString(16)}}`
  })
}

/** The same for a text whose lines and tabs are to stay. */
export function visibleLines(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : part.split(' ').map(visible).join(' ')))
    .join('')
}

/** At most `charsMax` characters, the cut shown. */
export function shortened(text: string, charsMax: number): string {
  const characters = [...text]
  return characters.length <= charsMax ? text : `${characters.slice(0, charsMax - 1).join('')}…`
}
