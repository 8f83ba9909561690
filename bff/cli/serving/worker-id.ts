import { hostname } from 'node:os'

/** Names this process among workers, for people: host and pid. The fence is each claim's own token. */
export function workerId(): string {
  return `${hostname()}:${process.pid}`
}
