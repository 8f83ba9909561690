import type { Command } from 'commander'
import { withReach } from '../reach/with-reach.ts'
import { print, printJson } from '../terminal/output.ts'
import { addVerb } from '../terminal/verb.ts'

export function addLoginLink(program: Command): void {
  addVerb(program, 'login-link', 'Make a link that signs a browser in: once, for 15 minutes.').action(
    loginLink,
  )
}

async function loginLink({ json }: { json?: boolean }): Promise<void> {
  const link = await withReach('runs mission login-link', (reach) => reach.loginLink())
  if (json) printJson(link)
  else print(`Open ${link.url}`)
}
