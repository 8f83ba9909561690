/**
 * Hears that the page may have missed something, and that it may be about to end. A phone that comes back, a laptop
 * that wakes and a cached page show themselves by different events, several of them at once.
 */
export function bindWakeUps(page: Window, on: { onWake: () => void; onHide: () => void }): () => void {
  const { document } = page
  const seeVisibility = () => (document.visibilityState === 'visible' ? on.onWake() : on.onHide())
  page.addEventListener('focus', on.onWake)
  page.addEventListener('online', on.onWake)
  page.addEventListener('pageshow', on.onWake)
  page.addEventListener('pagehide', on.onHide)
  document.addEventListener('visibilitychange', seeVisibility)
  return () => {
    page.removeEventListener('focus', on.onWake)
    page.removeEventListener('online', on.onWake)
    page.removeEventListener('pageshow', on.onWake)
    page.removeEventListener('pagehide', on.onHide)
    document.removeEventListener('visibilitychange', seeVisibility)
  }
}
