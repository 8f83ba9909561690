import { type InfiniteData, useInfiniteQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { errorSentence } from './api-error.ts'
import { useThreadTitle } from './hooks.ts'
import { queryKeys } from './query-keys.ts'
import { useSync } from './sync-context.tsx'

export interface ThreadReading {
  /** Its prompts by creation, those on their way included; each turn reads its own `usePromptDetail`. */
  readonly promptIds: readonly string[]
  readonly title: string | undefined
  readonly isLoading: boolean
  /** For people; null while all is well. */
  readonly error: string | null
  /** More turns than were read so far; each would otherwise be read by itself when it is shown. */
  readonly hasMore: boolean
  readonly loadMore: () => void
}

interface ThreadPage {
  readonly next: string | null
}

/**
 * A thread that is opened. Its pages only fill the details of its prompts, many at once; which prompts it has, and
 * in which order, is the layout's to say, so that a turn just submitted stands there too.
 */
export function useThread(threadId: string): ThreadReading {
  const { api, state, queryClient, outbox } = useSync()
  const promptIds = useSyncExternalStore(state.layout.subscribe, () => state.layout.idsOfThread(threadId))
  const title = useThreadTitle(threadId)
  const query = useInfiniteQuery<
    ThreadPage,
    Error,
    InfiniteData<ThreadPage, string | null>,
    readonly string[],
    string | null
  >({
    queryKey: queryKeys.thread(threadId),
    // A thread is named after its first prompt; until the server has that one, there is nothing to read.
    enabled: outbox.entry(threadId) === undefined,
    initialPageParam: null,
    getNextPageParam: (page) => page.next,
    async queryFn({ pageParam, signal }) {
      // Any prompt of it will do; the first, whose id it has, may have been deleted.
      const known = state.layout.idsOfThread(threadId).find((id) => outbox.entry(id) === undefined)
      const after = pageParam === null ? {} : { after: pageParam }
      const page = await api.readThread(known ?? threadId, after, signal)
      for (const detail of page.prompts) {
        state.applyDetail(detail)
        queryClient.setQueryData(queryKeys.detail(detail.view.prompt_id), detail)
      }
      return { next: page.next }
    },
  })
  return {
    promptIds,
    title,
    isLoading: query.isFetching && query.data === undefined,
    error: query.error === null ? null : errorSentence(query.error),
    hasMore: query.hasNextPage,
    loadMore: () => void query.fetchNextPage(),
  }
}
