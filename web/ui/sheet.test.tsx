// @vitest-environment jsdom
import { act, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Button, IconButton } from './button.tsx'
import { Segmented } from './segmented.tsx'
import { Sheet, SheetClose } from './sheet.tsx'
import { TextField } from './text-field.tsx'

let unmount: () => void = () => {}

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
})

afterEach(() => {
  unmount()
  vi.unstubAllGlobals()
})

function show(node: ReactNode) {
  const container = document.createElement('div')
  document.body.append(container)
  const root = createRoot(container)
  act(() => root.render(node))
  unmount = () => {
    act(() => root.unmount())
    container.remove()
  }
  return container
}

const dialog = () => document.querySelector('[role="dialog"]')

it('a sheet has a name, takes the focus, and closes with Esc', () => {
  const onOpenChange = vi.fn()
  show(
    <Sheet open onOpenChange={onOpenChange} label="While you were away">
      <Button>Show on the field</Button>
    </Sheet>,
  )
  const name = document.getElementById(dialog()?.getAttribute('aria-labelledby') ?? '')
  expect(name?.textContent).toBe('While you were away')
  expect(document.activeElement?.textContent).toBe('Show on the field')
  act(() => {
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))
  })
  expect(onOpenChange).toHaveBeenCalledExactlyOnceWith(false)
})

it('a button within a sheet can close it', () => {
  const onOpenChange = vi.fn()
  show(
    <Sheet open onOpenChange={onOpenChange} label="Shortcuts">
      <SheetClose asChild>
        <IconButton icon="cross" label="Close" />
      </SheetClose>
    </Sheet>,
  )
  act(() => document.querySelector<HTMLElement>('button[aria-label="Close"]')?.click())
  expect(onOpenChange).toHaveBeenCalledExactlyOnceWith(false)
})

it('a closed sheet is not there', () => {
  show(
    <Sheet open={false} onOpenChange={() => {}} label="Shortcuts">
      <p>text</p>
    </Sheet>,
  )
  expect(dialog()).toBeNull()
})

it('a choice of views says which one holds', () => {
  const onChange = vi.fn()
  const segments = [
    { value: 'far', label: 'far' },
    { value: 'near', label: 'near' },
  ] as const
  const container = show(<Segmented label="Zoom" segments={segments} value="far" onChange={onChange} />)
  const [far, near] = container.querySelectorAll('button')
  expect([far, near].map((button) => button?.getAttribute('aria-pressed'))).toEqual(['true', 'false'])
  act(() => near?.click())
  expect(onChange).toHaveBeenCalledExactlyOnceWith('near')
})

it('a field ties its label and its problem to the box', () => {
  const container = show(<TextField label="Address" hint="with /v1" problem="not an address" />)
  const input = container.querySelector('input')
  expect(input?.labels?.[0]?.textContent).toBe('Address')
  expect(input?.getAttribute('aria-invalid')).toBe('true')
  expect(document.getElementById(input?.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
    'not an address',
  )
})
