import * as z from 'zod/mini'
import type { LiveDraft } from '../attempt/live-drafts.ts'

/**
 * What processes tell each other of the text of running attempts.
 *
 * `text`: the draft's text from the offset `from` on, in UTF-16 units. `ended`: the attempt has ended. `draft-wanted`:
 * somebody who missed a part asks its holder for the whole. `watching`: the sender shows drafts from now on; `anew` asks
 * for all of them from their beginnings, otherwise it answers `who-watches`. `not-watching`: it shows none any more.
 */
export const draftMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('text'),
    job_id: z.string(),
    run: z.number(),
    attempt: z.number(),
    prompt_id: z.string(),
    org: z.string(),
    owner: z.string(),
    from: z.number(),
    text: z.string(),
  }),
  z.object({ kind: z.literal('ended'), job_id: z.string(), run: z.number() }),
  z.object({ kind: z.literal('draft-wanted'), job_id: z.string() }),
  z.object({ kind: z.literal('watching'), anew: z.boolean() }),
  z.object({ kind: z.literal('not-watching') }),
  z.object({ kind: z.literal('who-watches') }),
])
export type DraftMessage = z.infer<typeof draftMessage>
export type DraftText = Extract<DraftMessage, { kind: 'text' }>

export function writeMessage(message: DraftMessage): string {
  return JSON.stringify(message)
}

/** Null for what no process of this version sent. */
export function readMessage(text: string): DraftMessage | null {
  try {
    return draftMessage.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/**
 * A draft's text between two offsets in as many messages as it needs, none above `bytesMax` in UTF-8, none cut inside a
 * character; a half character at the very end is left for the next time.
 *
 * @returns the messages, and the offset behind the last of them.
 */
export function textMessages(
  draft: LiveDraft,
  from: number,
  bytesMax: number,
): { messages: string[]; until: number } {
  const { jobId: job_id, run, attempt, promptId: prompt_id, orgId: org, owner } = draft
  const message = (start: number, text: string) =>
    writeMessage({ kind: 'text', job_id, run, attempt, prompt_id, org, owner, from: start, text })
  const room = bytesMax - Buffer.byteLength(message(draft.text.length, ''))
  const messages: string[] = []
  let start = from
  let bytes = 0
  let at = from
  while (at < draft.text.length) {
    const [units, cost] = characterAt(draft.text, at)
    if (units === 0) break
    if (bytes + cost > room) {
      messages.push(message(start, draft.text.slice(start, at)))
      start = at
      bytes = 0
    }
    bytes += cost
    at += units
  }
  if (at > start) messages.push(message(start, draft.text.slice(start, at)))
  return { messages, until: at }
}

/**
 * How many UTF-16 units the character at an offset has, and how many bytes it may take in JSON: six where JSON escapes
 * it by number, as it does with half a character. No units where only its first half is there yet.
 */
function characterAt(text: string, at: number): [units: number, bytes: number] {
  const unit = text.charCodeAt(at)
  if (isHigh(unit)) {
    if (at + 1 === text.length) return [0, 0]
    return isLow(text.charCodeAt(at + 1)) ? [2, 4] : [1, 6]
  }
  if (unit < 0x20 || isLow(unit)) return [1, 6]
  if (unit === 0x22 || unit === 0x5c) return [1, 2]
  return [1, unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3]
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
