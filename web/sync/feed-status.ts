/**
 * How the page hears of changes, to be shown in words. `polling`: the stream is down and the server answers;
 * `isAsking` is false while nothing is in flight, for then it is not asked either. `offline`: nothing answers, since
 * `sinceMs`. `signed-out`: nothing is asked until somebody signs in.
 */
export type FeedStatus = { readonly mustReload: boolean } & (
  | { readonly mode: 'starting' | 'live' | 'signed-out' }
  | { readonly mode: 'polling'; readonly isAsking: boolean }
  | { readonly mode: 'offline'; readonly sinceMs: number }
)

export function isSameStatus(one: FeedStatus, other: FeedStatus): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
