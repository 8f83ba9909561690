import type { JobMove } from './watched-facts.ts'

/**
 * What a signal can be about; the one list of it.
 *
 * `job-queued`: a job may be claimable, or will be at a known time. `job-cancelled`: its holder must abort.
 * `deadlines`: a lease or ceiling deadline may have moved nearer. `events`: rows were appended to the events.
 * `gates`: a provider's gate closed, opened or moved. `schedules`: a recurring prompt was made, changed or removed.
 * `session-ended`: whoever remembers that session must forget it.
 *
 * Two stay in their process. `signals-missed`: others may have said what was not heard here, so that whoever waits for
 * word about something of its own looks for itself. `job-moved` alone carries what happened, for the log and the
 * metrics of the process that did it, and for who counts; nobody acts on what it says of a job.
 */
export const signalTopics = [
  'job-queued',
  'job-cancelled',
  'deadlines',
  'events',
  'gates',
  'schedules',
  'session-ended',
  'signals-missed',
  'job-moved',
] as const

export type SignalTopic = (typeof signalTopics)[number]

/** What signals say beside their topic. */
interface SignalFields {
  /** `dueAt`: ISO 8601, when the job is not claimable before. */
  'job-queued': { dueAt?: string }
  'job-cancelled': { jobId: string }
  /** SHA-256 of the session's token, in hex; never the token itself. */
  'session-ended': { tokenDigest: string }
  'job-moved': { move: JobMove }
}

/** "Something of this kind was committed": a wake-up, never the truth. Who hears one looks in the database. */
export type Signal = {
  [Topic in SignalTopic]: Topic extends keyof SignalFields
    ? { topic: Topic } & SignalFields[Topic]
    : { topic: Topic }
}[SignalTopic]

/** Whether other processes hear of it. */
export function isForOthers({ topic }: Signal): boolean {
  return topic !== 'job-moved' && topic !== 'signals-missed'
}

/** A signal as another process wrote it, with all its fields; null for a topic unknown here, or without what it is about. */
export function readSignal(value: unknown): Signal | null {
  if (typeof value !== 'object' || value === null || !('topic' in value)) return null
  const topic = signalTopics.find((known) => known === value.topic)
  if (topic === undefined) return null
  const isWhole = aboutOf(topic).every((field) => typeof Reflect.get(value, field) === 'string')
  return isWhole ? wholeSignal(value) : null
}

/** Fields without which a signal of the topic says nothing. */
const about: ReadonlyMap<SignalTopic, readonly string[]> = new Map<SignalTopic, readonly string[]>([
  ['job-cancelled', ['jobId']],
  ['session-ended', ['tokenDigest']],
  // Not a text, so that none is ever read from elsewhere.
  ['job-moved', ['move']],
])

function aboutOf(topic: SignalTopic): readonly string[] {
  return about.get(topic) ?? []
}

/** One of each topic that says enough by itself: what a process may have missed that did not listen for a while. */
export const generalSignals: readonly Signal[] = signalTopics.flatMap((topic) => readSignal({ topic }) ?? [])

/** The caller has seen that its topic is of the list, and that every field which the topic must have is a text. */
function wholeSignal(value: object): Signal {
  return value as Signal
}
