// @vitest-environment jsdom
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AnswerText, loadMarkdown } from './answer-text.tsx'

let unmount: () => void = () => {}

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
})

afterEach(() => {
  unmount()
  vi.unstubAllGlobals()
})

it('shows the text at once, and as Markdown once the code has come', async () => {
  const container = document.createElement('div')
  const root = createRoot(container)
  unmount = () => act(() => root.unmount())
  act(() => root.render(<AnswerText text={'**one**\n\ntwo'} />))
  expect(container.textContent).toBe('**one**\n\ntwo')
  await act(loadMarkdown)
  expect(container.querySelector('strong')?.textContent).toBe('one')
})
