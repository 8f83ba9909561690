import { userInfo } from 'node:os'

/** Who acts from the command line, for the events: the account on this machine. */
export function operatorName(): string {
  try {
    return `operator ${userInfo().username}`
  } catch {
    return 'operator' // an account without a name, as containers have
  }
}
