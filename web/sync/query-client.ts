import { notifyManager, QueryClient } from '@tanstack/react-query'

/**
 * The cache of server state. Nothing in it ages by itself, the feed keeps it true; and nothing leaves it for not
 * being watched, else a drop that scrolled out of view would be gone after five minutes.
 */
export function createQueryClient(): QueryClient {
  // By default observers are told in a later task: too late for a drop that is to stand in the same frame.
  notifyManager.setScheduler(queueMicrotask)
  return new QueryClient({
    defaultOptions: {
      queries: {
        gcTime: Number.POSITIVE_INFINITY,
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // The feed knows when the server is back; a query that retried on its own would not.
        retry: false,
        networkMode: 'always',
      },
    },
  })
}
