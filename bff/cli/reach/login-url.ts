import { DomainError } from '../../domain/errors.ts'
import type { Config } from '../config.ts'

/** The address that signs a browser in with this token. */
export function loginUrl(serverAddress: string, token: string): string {
  return `${serverAddress}/login/${token}`
}

/**
 * Where a server with these settings listens.
 * @throws DomainError `invalid_settings` when only that server itself knows its port.
 */
export function serverUrl({ host, port }: Config): string {
  if (port === 0) {
    throw new DomainError(
      'invalid_settings',
      'MISSION_PORT is 0, so only the running server knows its port; it prints a link when it starts.',
    )
  }
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
