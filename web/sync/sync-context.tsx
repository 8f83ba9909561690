import { QueryClientProvider } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext } from 'react'
import type { Sync } from './sync.ts'

const SyncContext = createContext<Sync | null>(null)

/** Gives the page's one `Sync` to everything below. Starting and stopping it is the caller's. */
export function SyncProvider({ sync, children }: { sync: Sync; children: ReactNode }) {
  return (
    <SyncContext value={sync}>
      <QueryClientProvider client={sync.queryClient}>{children}</QueryClientProvider>
    </SyncContext>
  )
}

/** @throws Error outside a `SyncProvider` */
export function useSync(): Sync {
  const sync = useContext(SyncContext)
  if (sync === null) throw new Error('useSync needs a SyncProvider above it')
  return sync
}
