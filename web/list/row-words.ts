import type { PromptView } from '../../shared/prompt-view.ts'
import type { Look } from '../marks/look-of.ts'
import { type LinePart, promptLineText } from '../marks/prompt-line.ts'
import { stateWords, verdictWords } from '../marks/state-words.ts'

export interface RowWords {
  /** The word of the state, as a sentence begins. */
  readonly state: string
  /** What is known beside it; `isSaid`: a model's own words. */
  readonly known: string
  readonly isSaid: boolean
}

/** What a row says of a prompt: its state in a word, and below its title the one thing worth knowing. */
export function rowWords(
  view: PromptView,
  look: Look,
  line: readonly LinePart[],
  liveText: string | undefined,
): RowWords {
  const state = capital(look.verdict === null ? wordOf(look) : verdictWords[look.verdict])
  const rest = capital(promptLineText(line.filter(({ strong }) => !strong)).replace(/^[\s·,]+/, ''))
  const said = look.disc === 'pending' ? newestWords(liveText) : view.answer_excerpt
  if (said && (look.disc === 'pending' || view.state === 'succeeded')) {
    return { state, known: said, isSaid: true }
  }
  return { state, known: look.disc === 'external' ? promptLineText(line) : rest, isSaid: false }
}

function wordOf({ disc }: Look): string {
  return disc === 'review' ? 'longer than usual' : stateWords[disc].word
}

const newestChars = 160

/** The newest words, in one line. */
function newestWords(text: string | undefined): string | null {
  const line = text
    ?.slice(-4 * newestChars)
    .replace(/\s+/g, ' ')
    .trim()
  if (line === undefined || line === '') return null
  if (line.length <= newestChars) return line
  const space = line.indexOf(' ', line.length - newestChars)
  return `…${line.slice(space < 0 ? -newestChars : space + 1)}`
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
