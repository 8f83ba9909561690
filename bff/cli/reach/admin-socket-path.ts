import { join } from 'node:path'
import type { Config } from '../config.ts'

/** Where the server of a data directory listens for its operators. */
export function adminSocketPath({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'admin.sock')
}
