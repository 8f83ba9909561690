import { act, type ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import type { Sync } from '../sync.ts'
import { SyncProvider } from '../sync-context.tsx'
import { settled } from './manual-clock.ts'

const mounted = new Set<Root>()

/** Renders below a `SyncProvider`. @returns what it looks like, and the way to take it away */
export async function render(sync: Sync, content: ReactNode) {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  const container = document.createElement('div')
  document.body.append(container)
  const root = createRoot(container)
  mounted.add(root)
  await acted(() => root.render(<SyncProvider sync={sync}>{content}</SyncProvider>))
  return {
    text: () => container.textContent ?? '',
    /** Presses its only button. */
    click: () => container.querySelector('button')?.click(),
    unmount: () => acted(() => root.unmount()),
  }
}

/** Does something, and lets React and what waits for it come to rest. */
export async function acted(work: () => unknown): Promise<void> {
  await act(async () => {
    await work()
    await settled()
  })
}

export async function unmountAll(): Promise<void> {
  for (const root of mounted) await acted(() => root.unmount())
  mounted.clear()
}
