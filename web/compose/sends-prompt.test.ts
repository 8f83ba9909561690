import { expect, it } from 'vitest'
import { type KeyFacts, sendsPrompt } from './sends-prompt.ts'

const enter: KeyFacts = {
  key: 'Enter',
  shiftKey: false,
  altKey: false,
  isComposing: false,
  keyCode: 13,
  repeat: false,
}

it('Enter sends', () => {
  expect(sendsPrompt(enter)).toBe(true)
})

it('Shift+Enter breaks the line, other keys type', () => {
  expect(sendsPrompt({ ...enter, shiftKey: true })).toBe(false)
  expect(sendsPrompt({ ...enter, key: 'a', keyCode: 65 })).toBe(false)
})

// R081
it('Enter that picks a conversion does not send, in Safari either', () => {
  expect(sendsPrompt({ ...enter, isComposing: true })).toBe(false)
  expect(sendsPrompt({ ...enter, keyCode: 229 })).toBe(false)
})

it('Enter held down sends once', () => {
  expect(sendsPrompt({ ...enter, repeat: true })).toBe(false)
})
