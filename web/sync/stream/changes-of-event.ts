import type { Change } from '../rows/server-state.ts'
import type { StreamEvent } from './event-stream.ts'

/** What an event of the stream changes; nothing for those that are about the stream itself. */
export function changesOfEvent(event: StreamEvent): readonly Change[] {
  switch (event.name) {
    case 'hello':
    case 'beat':
    case 'resync':
      return []
    case 'job.state_changed':
    case 'entity.changed':
      return [{ kind: 'view', view: event.data }]
    case 'response.delta':
      return [{ kind: 'delta', delta: event.data }]
    case 'prompt.seen':
      return [{ kind: 'seen', promptId: event.data.prompt_id, jobId: event.data.job_id }]
    case 'thread.changed':
      return [{ kind: 'titled', threadId: event.data.id, title: event.data.title }]
    case 'provider.gate':
      return [{ kind: 'gate', gate: event.data }]
    case 'queue.changed':
      return [{ kind: 'queue', queue: event.data }]
    default:
      return unreachable(event)
  }
}

function unreachable(event: never): never {
  throw new Error(`an event that nothing applies: ${JSON.stringify(event)}`)
}
