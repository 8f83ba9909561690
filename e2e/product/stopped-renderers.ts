import type { Browser } from '@playwright/test'

/**
 * Stops the processes that run pages, as a machine does that sleeps: their timers stand still, while the network goes
 * on. (The browser's own way of freezing a page does nothing without a screen.) Whoever calls this has to wake them.
 */
export async function stopRenderers(browser: Browser): Promise<{ wake(): void }> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const pids = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
  if (pids.length === 0) throw new Error('the browser names no process that runs a page')
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  return {
    wake() {
      for (const pid of pids) process.kill(pid, 'SIGCONT')
    },
  }
}
