import { onTestFinished } from 'vitest'
import type { ResponseDelta } from '../../../shared/change.ts'
import { startControl } from '../../control/start-control.ts'
import { closeExecution, type ExecutionSettings, type Scope } from '../../execution/context.ts'
import { openStream, setShown } from '../../execution/observe/streams.ts'
import { readStream, type StreamReader } from '../../execution/testing/stream-reader.ts'
import type { TestClock } from '../../execution/testing/test-clock.ts'
import { type TestExecution, testExecution } from '../../execution/testing/test-execution.ts'
import {
  type JoinedProcess,
  type JoinedProcessOptions,
  joinedProcess,
} from '../../store/testing/joined-process.ts'
import { systemClock } from '../system-clock.ts'

/** One process of several on a PostgreSQL, all but its HTTP, in the machine's own time. */
export interface JoinedExecution extends TestExecution, Pick<JoinedProcess, 'database'> {
  /** Follows somebody's prompts as a page does that shows `promptIds`. */
  follow(who: Scope, promptIds?: readonly string[]): Promise<Follower>
}

export interface Follower extends StreamReader {
  /** Asks for the text of these prompts from now on. */
  show(promptIds: readonly string[]): void
  /** Resolves once the prompt was told to be in that state. */
  state(promptId: string, state: string): Promise<void>
  /** The text of a prompt as a page puts it together from deltas. */
  text(promptId: string): string
}

export interface JoinedExecutionOptions extends JoinedProcessOptions {
  /** Whether it runs jobs. */
  worker: boolean
  settings?: Partial<ExecutionSettings>
}

/** Joins, with a pool of its own, and leaves with the test. */
export async function joinedExecution(
  url: string,
  options: JoinedExecutionOptions,
): Promise<JoinedExecution> {
  const { worker: runsJobs, settings, ...more } = options
  const { database } = await joinedProcess(url, more)
  const test = testExecution(database, settings, { clock: machineTime })
  const { execution, worker } = test
  const control = startControl(execution, runsJobs ? worker : null, { reclaimFormerSelf: false })
  onTestFinished(async () => {
    await control.stop()
    await worker.drain(0)
    worker.close()
    await closeExecution(execution)
  })
  await control.ready
  return {
    ...test,
    database,
    async follow(who, promptIds = []) {
      const ending = new AbortController()
      onTestFinished(() => ending.abort())
      const stream = await openStream(execution, who, { signal: ending.signal })
      const show = (ids: readonly string[]) => setShown(execution, who, stream.streamId, ids)
      show(promptIds)
      const reader = readStream(stream)
      return {
        ...reader,
        show,
        text: (promptId) => assembled(deltasOf(reader, promptId)),
        async state(promptId, state) {
          await reader.seen(
            ({ event, data }) =>
              event === 'job.state_changed' && data.prompt_id === promptId && data.state === state,
          )
        },
      }
    },
  }
}

const machineTime: TestClock = {
  ...systemClock,
  advance() {
    throw new Error('nobody advances the time of a machine')
  },
  armed: 0,
}

function deltasOf({ items }: StreamReader, promptId: string): ResponseDelta[] {
  return items.flatMap(({ event, data }) =>
    event === 'response.delta' && data.prompt_id === promptId ? [data] : [],
  )
}

/** @throws Error when they are not contiguous. */
function assembled(deltas: readonly ResponseDelta[]): string {
  let text = ''
  for (const [index, delta] of deltas.entries()) {
    if (delta.seq !== index) throw new Error(`delta ${delta.seq} where ${index} was due`)
    text = delta.whole ? delta.text : text + delta.text
  }
  return text
}
