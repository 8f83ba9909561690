/** A queue as the benchmark drives it. Ids are UUIDs of the caller; a handler does nothing. */
export interface QueueUnderTest {
  name: string
  /** One job by one client, committed when it resolves. */
  enqueue(id: string): Promise<void>
  /** Many in one request. */
  enqueueMany(ids: string[]): Promise<void>
  /** Runs the `jobs` that wait, so many at once, until all have settled. */
  process(concurrency: number, jobs: number): Promise<void>
  /** Runs what comes, as it comes, in an idle queue; hears of each start. */
  follow(onStart: () => void): Promise<{ stop(): Promise<void> }>
  /** `enqueue` in a way that a follower hears of. */
  enqueueAndTell(id: string): Promise<void>
  clear(): Promise<void>
  close(): Promise<void>
}
