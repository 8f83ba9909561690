import { defaultDeadlines } from '../../domain/deadlines.ts'
import { readPrompt } from '../../execution/observe/read-prompt.ts'
import { cancelJob, reclaimStuckJobs } from '../../execution/operate-jobs.ts'
import type { Proof } from './proof.ts'
import type { Stage } from './stage.ts'

const jobsAtOnce = 8

export const concurrentSafety: Proof = {
  name: 'concurrent-safety',
  says: 'However many claim, cancel or settle one job at once, only one of them has an effect.',
  async play(stage) {
    await claimedTogether(stage)
    await cancelledMeanwhile(stage)
    await claimedTwice(stage)
  },
}

/** Two workers ask for the same jobs at the same moment. */
async function claimedTogether(stage: Stage): Promise<void> {
  const workers = [stage.process('worker-a').worker, stage.process('worker-b').worker]
  const jobIds: string[] = []
  for (let index = 1; index <= jobsAtOnce; index++) {
    jobIds.push((await stage.submit(`Once only, ${index}`)).job_id)
  }
  const claims = await Promise.all(workers.map((worker) => worker.claimOnce()))
  const claimed = claims.reduce((sum, one) => sum + one.claimed, 0)
  stage.see(`of ${jobsAtOnce} jobs, two workers at once claim`, String(jobsAtOnce), claimed)
  await stage.call(jobsAtOnce - 1)
  for (const call of stage.provider.calls) call.answer('Once.')
  await Promise.all(workers.map((worker) => worker.idle()))
  stage.see('calls to the provider', String(jobsAtOnce), stage.provider.calls.length)
  const jobs = await Promise.all(jobIds.map(stage.job))
  const once = jobs.filter(({ state, run }) => state === 'succeeded' && run === 1)
  stage.see('succeeded in their first and only run', String(jobsAtOnce), once.length)
}

/** A person cancels at the very moment at which a worker claims. */
async function cancelledMeanwhile(stage: Stage): Promise<void> {
  const { execution, worker } = stage.process('worker-c')
  const jobIds: string[] = []
  for (let index = 1; index <= jobsAtOnce; index++) {
    jobIds.push((await stage.submit(`Not after all, ${index}`)).job_id)
  }
  const before = stage.provider.calls.length
  await Promise.all([worker.claimOnce(), ...jobIds.map((id) => cancelJob(execution, id, 'proof'))])
  // Whatever the provider still says is said to nobody.
  for (const call of stage.provider.calls.slice(before)) call.answer('Too late.')
  await worker.idle()
  const jobs = await Promise.all(jobIds.map(stage.job))
  const cancelled = jobs.filter(({ state, response_id }) => state === 'cancelled' && response_id === null)
  stage.see('cancelled while they were claimed, without an answer', String(jobsAtOnce), cancelled.length)
  const calls = stage.provider.calls.slice(before)
  stage.see('calls that were made and not aborted', '0', calls.filter(({ aborted }) => !aborted).length)
}

/** A process sleeps past its lease and claims the same job again: its old claim must not settle the new run. */
async function claimedTwice(stage: Stage): Promise<void> {
  const { execution, worker } = stage.process('worker-d')
  const { job_id, prompt_id } = await stage.submit('Asked by one process twice')
  const old = await stage.nextCall(worker)
  stage.clock.sleep(defaultDeadlines.leaseMs)
  const { requeued } = await reclaimStuckJobs(execution)
  stage.see('jobs taken back after a sleep past the lease', '1', requeued.length)
  const current = await stage.nextCall(worker)
  stage.see('claims of one job that one process holds', '2', worker.running)

  old.answer('From the old claim.')
  await stage.settled()
  const still = await stage.job(job_id)
  stage.see('after the old claim’s answer', 'running, run 2', `${still.state}, run ${still.run}`)
  current.answer('From the new claim.')
  await stage.becomes(job_id, 'succeeded', 'after the new claim’s answer')
  const { answer } = await readPrompt(execution, stage.owner, prompt_id)
  stage.see('the answer that is kept', 'From the new claim.', answer?.text)
  const { ledger } = await stage.job(job_id)
  const runs = ledger.map(({ run, error_kind }) => `${run} ${error_kind ?? 'answered'}`).join(', ')
  stage.see('runs in the ledger', '1 worker_crash, 2 answered', runs)
}
