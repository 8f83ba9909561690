import type { JobDetails } from '../../execution/operate-jobs.ts'
import type { Proof } from './proof.ts'
import type { Stage, StageProcess } from './stage.ts'

export const retry: Proof = {
  name: 'retry',
  says: 'A passing failure is tried again after its backoff, a lasting one is not, and every failure stays on record.',
  async play(stage) {
    const one = stage.process('worker-a')
    const { job_id } = await stage.submit('Try until it works')
    await failsAndWaits(stage, one, { jobId: job_id, kind: 'provider_5xx', attempt: 2, backoff: [5, 10] })
    await failsAndWaits(stage, one, { jobId: job_id, kind: 'timeout', attempt: 3, backoff: [25, 40] })
    ;(await stage.nextCall(one.worker)).answer('Third time lucky.')
    const done = await stage.becomes(job_id, 'succeeded', 'the third attempt is answered')
    stage.see('the error of a job that succeeded in the end', 'null', done.error_kind)
    stage.see('its attempts on record', '1 provider_5xx, 2 timeout, 3 answered', attemptsOf(done))

    const spent = await stage.submit('Never works', { max_attempts: 2 })
    for (let attempt = 1; attempt <= 2; attempt++) {
      ;(await stage.nextCall(one.worker)).fail('timeout')
      await one.worker.idle()
      stage.clock.pass(10_000)
    }
    const failed = await stage.becomes(spent.job_id, 'failed', 'with both of its attempts spent')
    stage.see('for what it failed', 'timeout', failed.error_kind)

    const lasting = await stage.submit('Not allowed')
    ;(await stage.nextCall(one.worker)).fail('auth')
    const refused = await stage.becomes(lasting.job_id, 'failed', 'a refused key, at the first attempt')
    stage.see('its attempts on record', '1 auth', attemptsOf(refused))
  },
}

interface Failing {
  jobId: string
  kind: 'provider_5xx' | 'timeout'
  /** The attempt that comes next, and after how many seconds. */
  attempt: number
  backoff: readonly [number, number]
}

/** An attempt fails; then the job waits for its backoff, claimed neither before nor after its time. */
async function failsAndWaits(stage: Stage, { worker }: StageProcess, failing: Failing): Promise<void> {
  const { jobId, kind, attempt, backoff } = failing
  ;(await stage.nextCall(worker)).fail(kind)
  await worker.idle()
  const job = await stage.becomes(jobId, 'queued', `attempt ${attempt - 1} ends with ${kind}`)
  stage.see('the next attempt', String(attempt), job.attempt)
  const [least, most] = backoff
  const delayMs = new Date(job.available_at).getTime() - stage.clock.now().getTime()
  stage.see(
    'its backoff',
    `${least} to ${most} s`,
    `${delayMs / 1_000} s`,
    delayMs >= least * 1_000 && delayMs <= most * 1_000,
  )
  stage.clock.pass(delayMs - 1)
  stage.see('claimed one ms before its time', '0', (await worker.claimOnce()).claimed)
  stage.clock.pass(1)
}

function attemptsOf({ ledger }: JobDetails): string {
  return ledger.map(({ attempt, error_kind }) => `${attempt} ${error_kind ?? 'answered'}`).join(', ')
}
