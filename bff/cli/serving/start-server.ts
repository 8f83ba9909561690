import { join } from 'node:path'
import { DomainError } from '../../domain/errors.ts'
import { makeLoginLink } from '../../execution/sessions.ts'
import { createApp } from '../../http/app.ts'
import { loopbackHosts } from '../../http/http-parts.ts'
import { type Listening, listen } from '../../http/serve.ts'
import type { Config } from '../config.ts'
import { productFolder } from '../product-folder.ts'
import { loginUrl } from '../reach/login-url.ts'
import type { Product } from '../wire.ts'
import { openAdminSocket } from './open-admin-socket.ts'
import { startJobs } from './start-jobs.ts'

export interface RunningServer {
  url: string
  /** Signs one browser in, once, for 15 minutes. */
  loginUrl: string
  /** Resolves when the server answers that it is ready. */
  ready: Promise<void>
  /** Takes no more requests and jobs, hands back what runs, ends every stream. The data stays open. */
  stop(graceMs: number): Promise<void>
}

/**
 * Serves the page, its interface and, on the embedded database, the socket for operators; runs jobs if `worker`.
 *
 * @throws DomainError `invalid_settings` when the address or the socket cannot be had; nothing is left running then.
 */
export async function startServer(product: Product, worker: boolean): Promise<RunningServer> {
  const { config, execution } = product
  let isReady = false
  let port = config.port
  const app = createApp({
    execution,
    settings: {
      hosts: () => hostsOf(config, port),
      origins: [],
      submitsPerMinute: config.submitsPerMinute,
      secureCookie: false,
    },
    webRoot: join(productFolder, 'dist/web'),
    ready: () => isReady,
  })
  const server = await listenOrExplain(() => listen(app, config), config)
  port = server.port
  const jobs = startJobs(product, { worker })
  const stop = async (graceMs: number): Promise<void> => {
    isReady = false
    // Streams end now, so that pages look for another server; the socket answers who waits for a batch.
    await Promise.all([server.close(graceMs), jobs.stop(graceMs)])
  }
  try {
    const admin = await openAdminSocket(product, jobs, server.url)
    const ready = jobs.ready.then(() => {
      isReady = true
    })
    const { token } = await makeLoginLink(execution)
    return {
      url: server.url,
      loginUrl: loginUrl(server.url, token),
      ready,
      async stop(graceMs) {
        await stop(graceMs)
        await admin.close(graceMs)
      },
    }
  } catch (error) {
    await stop(0)
    throw error
  }
}

/** Vite's, whose pages reach the server through its proxy while it is run from its sources. */
const vitePort = 5173

function hostsOf({ host }: Config, port: number): string[] {
  const fromSources = import.meta.url.endsWith('.ts')
  return [...loopbackHosts(port), `${host}:${port}`, ...(fromSources ? loopbackHosts(vitePort) : [])]
}

async function listenOrExplain(start: () => Promise<Listening>, { host, port }: Config): Promise<Listening> {
  try {
    return await start()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const why = new Map<unknown, string>([
      ['EADDRINUSE', `Port ${port} of ${host} is in use; MISSION_PORT names another.`],
      ['EACCES', `Port ${port} of ${host} is not this account's to use; MISSION_PORT names another.`],
      ['EADDRNOTAVAIL', `This machine has no address ${host}; MISSION_HOST names another.`],
      ['ENOTFOUND', `This machine has no address ${host}; MISSION_HOST names another.`],
    ]).get(code)
    if (why === undefined) throw error
    throw new DomainError('invalid_settings', why, {}, { cause: error })
  }
}
