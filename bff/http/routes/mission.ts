import { endpoints } from '../../../shared/api.ts'
import { cursor } from '../../../shared/ids.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Execution } from '../../execution/context.ts'
import { readField, readViews } from '../../execution/observe/read-field.ts'
import { readRecent } from '../../execution/observe/read-recent.ts'
import { openStream, setShown } from '../../execution/observe/streams.ts'
import { eventStream } from '../event-stream.ts'
import type { HttpContext, Session } from '../http-parts.ts'
import type { OpenStreams } from '../open-streams.ts'
import { type Route, route } from '../route.ts'

export function missionRoutes(execution: Execution, streams: OpenStreams): Route[] {
  return [
    route(endpoints.readRecent, ({ session, query }) => readRecent(execution, session, query)),
    route(endpoints.readField, ({ session }) => readField(execution, session)),
    route(endpoints.readViews, ({ session, query }) => readViews(execution, session, query.ids)),
    route(endpoints.followEvents, ({ session, query, context }) =>
      followEvents(execution, streams, session, context, query.since),
    ),
    route(endpoints.setShown, ({ session, params, body }) =>
      setShown(execution, session, params.stream_id, body.prompt_ids),
    ),
  ]
}

/** The stream ends with whichever comes first: its client, its session, the feed itself. */
async function followEvents(
  execution: Execution,
  streams: OpenStreams,
  session: Session,
  context: HttpContext,
  since: string | undefined,
): Promise<Response> {
  const { clock, log } = execution
  const ending = new AbortController()
  const stream = await openStream(execution, session, {
    since: lastEventId(context) ?? since,
    signal: ending.signal,
  })
  const end = () => ending.abort()
  const client = context.req.raw.signal
  client.addEventListener('abort', end)
  const forget = [
    streams.add(session.token, ending),
    clock.at(session.expiresAt, end),
    () => client.removeEventListener('abort', end),
  ]
  const forgetAll = () => {
    for (const undo of forget) undo()
  }
  ending.signal.addEventListener('abort', forgetAll, { once: true })
  if (client.aborted) end()
  const cut = () => void context.env?.outgoing?.destroy()
  return eventStream({ items: stream.items, ending, cut, clock, log })
}

/** What a browser that reconnects by itself had last; it knows better than the address, which stays as it was. */
function lastEventId(context: HttpContext): string | undefined {
  const id = context.req.header('last-event-id')
  if (id === undefined || id === '') return undefined
  if (!cursor.safeParse(id).success)
    throw new DomainError('malformed_cursor', 'Last-Event-ID is not a cursor.')
  return id
}
