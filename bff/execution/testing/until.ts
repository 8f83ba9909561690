/** One turn of the event loop: what is ready runs. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Turns until `done`. What is waited for is work in progress, never the passing of time: the clock is the test's. */
export async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await done())) await turn()
}
