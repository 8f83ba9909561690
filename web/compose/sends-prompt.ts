/** What of a key event decides; `keyCode` is old, and the only thing by which Safari tells of a composition. */
export type KeyFacts = Pick<
  KeyboardEvent,
  'key' | 'shiftKey' | 'altKey' | 'isComposing' | 'keyCode' | 'repeat'
>

/**
 * Whether this key sends the prompt: Enter, with Ctrl or Cmd too; Shift and Alt break the line. Never the Enter that
 * picks a conversion of an input method: Safari sends it after the composition has ended, with 229 as its code. Nor
 * one that is held down, which would send what is typed next.
 */
export function sendsPrompt(event: KeyFacts): boolean {
  if (event.key !== 'Enter' || event.shiftKey || event.altKey || event.repeat) return false
  return !event.isComposing && event.keyCode !== 229
}
