import type { Command } from 'commander'
import { withReach } from '../reach/with-reach.ts'
import { print, printJson } from '../terminal/output.ts'
import { UsageError } from '../terminal/refusal.ts'
import { addVerb, promptId } from '../terminal/verb.ts'

interface Options {
  thread?: boolean
  yes?: boolean
  json?: boolean
}

export function addDelete(program: Command): void {
  addVerb(program, 'delete', 'Hide a prompt, or a whole thread, everywhere; what waits in it is cancelled.')
    .argument('<id>', 'id of the prompt, or of the thread', promptId)
    .option('--thread', 'the whole thread of that id')
    .option('--yes', 'do it: there is no way back')
    .action(deletePrompt)
}

async function deletePrompt(id: string, { thread = false, yes, json }: Options): Promise<void> {
  if (!yes) throw new UsageError('There is no way back from delete: say --yes if you mean it.')
  await withReach('runs mission delete', (reach) =>
    thread ? reach.deleteThread(id) : reach.deletePrompt(id),
  )
  if (json) printJson(thread ? { thread_id: id, deleted: true } : { prompt_id: id, deleted: true })
  else print(`${thread ? 'Thread' : 'Prompt'} ${id} is deleted.`)
}
