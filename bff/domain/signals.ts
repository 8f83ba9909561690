/**
 * "Something of this kind was committed": a wake-up, never the truth. Who hears one looks in the database.
 * `job-queued`: a job may be claimable, or will be at a known time. `job-cancelled`: its holder must abort.
 * `deadlines`: a lease or ceiling deadline may have moved nearer. `events`: rows were appended to the events.
 * `gates`: a provider's gate closed, opened or moved. `schedules`: a recurring prompt was made, changed or removed.
 */
export type Signal =
  | { topic: 'job-queued' }
  | { topic: 'job-cancelled'; jobId: string }
  | { topic: 'deadlines' }
  | { topic: 'events' }
  | { topic: 'gates' }
  | { topic: 'schedules' }

export type SignalTopic = Signal['topic']
