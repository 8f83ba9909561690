import { excerpt } from '../../domain/prompt-text.ts'

const echoCharsMax = 60
const longWords = 1_500

/** The answer of the practice provider to `prompt`: its first sentence says what it is, the rest has no meaning. */
export function practiceAnswer(prompt: string): string {
  return [
    `${opening(prompt)} It is here so that the field can be tried without a model.`,
    'Practice text comes in pieces, as an answer would, with some Markdown in it:',
    '| piece | what it shows |\n| --- | --- |\n| this table | **columns** that keep their width |\n| the list | items, one of them with `code` |',
    '- one tide, counted by nobody\n- two tides, written as `tide + tide`\n- three tides, which end the list',
    'To get real answers, give the server the key of a provider, or start a model server on this machine, and then start Mission Field again.',
  ].join('\n\n')
}

/** About 1,500 words of the same kind, in numbered sections. */
export function longPracticeAnswer(prompt: string): string {
  const sections = [opening(prompt)]
  for (let words = 0, section = 1; words < longWords; section += 1) {
    const text = `## Practice section ${section}\n\n${longSection(section)}`
    sections.push(text)
    words += text.split(/\s+/).length
  }
  return sections.join('\n\n')
}

/** Pieces of `text` as they would stream: `count` at most, cut between words, which joined are the text again. */
export function piecesOf(text: string, count: number): string[] {
  const words = text.match(/\S+\s*/g) ?? []
  const perPiece = Math.max(1, Math.ceil(words.length / count))
  const pieces: string[] = []
  for (let at = 0; at < words.length; at += perPiece) pieces.push(words.slice(at, at + perPiece).join(''))
  return pieces
}

function opening(prompt: string): string {
  // Markup would be read as ours, and escaped it would look odd where the answer is shown as plain text.
  const words = excerpt(prompt.replace(/[\\`*_{}[\]<>#|~]/g, ' '), echoCharsMax)
  return `This is practice text from the practice provider, and no model wrote it. Your prompt began with “${words}”.`
}

function longSection(section: number): string {
  const tides = ['ebb', 'flood', 'slack water', 'spring tide', 'neap tide']
  return Array.from({ length: 8 }, (_, line) => {
    const tide = tides[(section + line) % tides.length]
    return `Sentence ${line + 1} of section ${section} speaks of ${tide} and says nothing about it.`
  }).join(' ')
}
