import { DomainError } from '../../domain/errors.ts'
import { adminApp, listenAdmin } from '../../http/admin-socket.ts'
import { archiveJobs } from '../archive-jobs.ts'
import { examine } from '../doctor/examine.ts'
import { adminSocketPath } from '../reach/admin-socket-path.ts'
import { loginUrl } from '../reach/login-url.ts'
import type { Product } from '../wire.ts'
import { writeBackup } from '../write-backup.ts'
import type { Jobs } from './start-jobs.ts'

/**
 * Opens the way in for the other verbs while this process has the embedded database open. On PostgreSQL they need
 * none, and several servers may share a data directory.
 *
 * @throws DomainError `invalid_settings` when the socket cannot be made.
 */
export async function openAdminSocket(
  product: Product,
  jobs: Pick<Jobs, 'runOnce'>,
  url: string,
): Promise<{ close(graceMs: number): Promise<void> }> {
  if (product.storage.kind === 'postgres') return { close: async () => {} }
  const ending = new AbortController()
  const app = adminApp(product.execution, {
    loginUrl: (token) => loginUrl(url, token),
    runOnce: jobs.runOnce,
    doctor: () => examine(product),
    backup: ({ path }) => writeBackup(product, path),
    archive: (body) => archiveJobs(product, body),
    ending: ending.signal,
  })
  try {
    const { close } = await listenAdmin(app, adminSocketPath(product.config))
    return {
      close(graceMs) {
        ending.abort(
          new DomainError('not_ready', 'The server ends; the prompt goes on as soon as one runs again.'),
        )
        return close(graceMs)
      },
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new DomainError(
      'invalid_settings',
      `The socket for operators cannot be made: ${why}`,
      {},
      { cause: error },
    )
  }
}
