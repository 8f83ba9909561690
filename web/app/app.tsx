import type { Sync } from '../sync/sync.ts'
import { SyncProvider } from '../sync/sync-context.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { Shell } from './shell.tsx'

/** The page: everything below shares one `Sync`, and no fault of a part leaves a blank screen. */
export function App({ sync }: { sync: Sync }) {
  return (
    <ErrorBoundary what="The page">
      <SyncProvider sync={sync}>
        <Shell />
      </SyncProvider>
    </ErrorBoundary>
  )
}
