import { lazy, Suspense, useEffect, useState } from 'react'
import { useDeletion } from '../session/deletion-store.ts'
import { ErrorBoundary } from './error-boundary.tsx'

const Dialog = lazy(async () => ({ default: (await import('../marks/delete-dialog.tsx')).DeleteDialog }))

/** The question before a deletion, whose code is fetched when it is first asked. */
export function LateDeleteDialog() {
  const isAsked = useDeletion(({ ask }) => ask !== null)
  const [wasAsked, setWasAsked] = useState(isAsked)
  useEffect(() => {
    if (isAsked) setWasAsked(true)
  }, [isAsked])
  if (!wasAsked) return null
  return (
    <ErrorBoundary what="The question">
      <Suspense fallback={null}>
        <Dialog />
      </Suspense>
    </ErrorBoundary>
  )
}
