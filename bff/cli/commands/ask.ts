import { text as readText } from 'node:stream/consumers'
import type { Command } from 'commander'
import { v7 as uuidV7 } from 'uuid'
import { priorityMax } from '../../../shared/job.ts'
import { DomainError } from '../../domain/errors.ts'
import { type AskAnswer, type AskBody, askBody } from '../../http/admin-contract.ts'
import { withReach } from '../reach/with-reach.ts'
import { awaitEnd } from '../serving/end-signal.ts'
import { print, printJson, visibleLines } from '../terminal/output.ts'
import { Unsuccessful, UsageError } from '../terminal/refusal.ts'
import { addVerb, numberOption } from '../terminal/verb.ts'

interface Options {
  model?: string
  priority?: number
  timeout?: number
  here?: boolean
  json?: boolean
}

export function addAsk(program: Command): void {
  addVerb(program, 'ask', 'Ask as the owner, wait for the answer, and print it.')
    .argument('<text>', 'what to ask; - reads it from stdin')
    .option('--model <id>', 'model that is to answer')
    .addOption(numberOption('--priority <n>', 'the lower, the sooner', 0, priorityMax))
    .addOption(numberOption('--timeout <s>', 'seconds to wait at most; the prompt goes on', 1, 2_000_000))
    .option('--here', 'with PostgreSQL: run waiting jobs here meanwhile, this prompt in its turn')
    .action(ask)
}

async function ask(text: string, { timeout, here = false, json, ...options }: Options): Promise<void> {
  const request = requestOf(text === '-' ? await readText(process.stdin) : text, options)
  const patience = patienceOf(timeout, request.prompt_id)
  const answer = await withReach('runs mission ask', (reach) =>
    reach.ask(request, { patience: patience.signal, here }),
  )
    .catch((error: unknown) => {
      if (patience.signal.aborted) throw patience.signal.reason
      if (!(error instanceof DomainError) || error.code !== 'not_ready') throw error
      throw new Unsuccessful(
        `The server ended before the answer came; prompt ${request.prompt_id} goes on once one runs, if it was accepted.`,
      )
    })
    .finally(patience.end)
  if (json) printJson(answer)
  else if (answer.view.state === 'succeeded') print(answerText(answer))
  if (answer.view.state !== 'succeeded') throw new Unsuccessful(whyNot(answer))
}

function requestOf(text: string, { model, priority }: Pick<Options, 'model' | 'priority'>): AskBody {
  const parsed = askBody.safeParse({
    prompt_id: uuidV7(),
    text,
    ...(model !== undefined && { model }),
    ...(priority !== undefined && { priority }),
  })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new UsageError(`${issue?.path.join('.') === 'model' ? 'The model' : 'The text'} ${issue?.message}.`)
}

/** Ends with the time that was given, or when the person stops waiting; the prompt is not touched by it. */
function patienceOf(timeoutS: number | undefined, promptId: string) {
  const patience = new AbortController()
  const stop = (why: string) =>
    patience.abort(new Unsuccessful(`${why}; prompt ${promptId} is not cancelled by that.`))
  const timer =
    timeoutS === undefined ? undefined : setTimeout(stop, timeoutS * 1_000, `No answer within ${timeoutS} s`)
  void awaitEnd().asked.then(() => stop('Stopped waiting'))
  return { signal: patience.signal, end: () => clearTimeout(timer) }
}

/** A terminal obeys control characters; a file or the next program gets the answer as it is. */
function answerText({ answer }: AskAnswer): string {
  const text = answer?.text ?? ''
  return process.stdout.isTTY ? visibleLines(text) : text
}

function whyNot({ view }: AskAnswer): string {
  if (view.state === 'failed')
    return `Prompt ${view.prompt_id} failed: ${view.error_message ?? 'no reason is known'} (${view.error_kind})`
  return `Prompt ${view.prompt_id} was ${view.state}.`
}
