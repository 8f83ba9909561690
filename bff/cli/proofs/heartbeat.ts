import { startControl } from '../../control/start-control.ts'
import { defaultDeadlines } from '../../domain/deadlines.ts'
import type { Proof } from './proof.ts'
import type { Stage } from './stage.ts'

const { heartbeatMs, leaseMs } = defaultDeadlines

export const heartbeat: Proof = {
  name: 'heartbeat',
  says: 'A job whose worker stopped beating is taken back at the end of its lease; one whose worker beats is left alone.',
  async play(stage) {
    const alive = stage.process('worker-alive')
    // Reclaims as every process does, and runs nothing itself until it is told to.
    const control = startControl(alive.execution, null, { reclaimFormerSelf: false })
    await control.ready
    try {
      await leftAlone(stage)
      await takenBack(stage)
      await givenUp(stage)
    } finally {
      await control.stop()
    }
  },
}

/** Two leases long, with a beat every half minute. */
async function leftAlone(stage: Stage): Promise<void> {
  const { worker } = stage.process('worker-steady')
  const { job_id } = await stage.submit('Take your time')
  const call = await stage.nextCall(worker)
  await stage.settled()
  for (let beats = 0; beats < (2 * leaseMs) / heartbeatMs; beats++) {
    stage.clock.pass(heartbeatMs)
    await stage.settled()
  }
  const { state, run } = await stage.job(job_id)
  stage.see('after two leases with heartbeats', 'running, run 1', `${state}, run ${run}`)
  call.answer('There it is.')
  await stage.becomes(job_id, 'succeeded', 'its answer is taken')
  await worker.idle()
}

async function takenBack(stage: Stage): Promise<void> {
  const dying = stage.process('worker-dying')
  const next = stage.process('worker-next')
  const { job_id } = await stage.submit('Outlive your worker')
  await stage.nextCall(dying.worker)
  await stage.settled()
  // As a killed process: it beats no more, and says nothing more.
  dying.worker.close()
  stage.clock.pass(leaseMs - 1)
  await stage.settled()
  const before = await stage.job(job_id)
  stage.see(
    'one ms before the lease ends',
    'running, attempt 1',
    `${before.state}, attempt ${before.attempt}`,
  )
  stage.clock.pass(1)
  const back = await stage.becomes(job_id, 'queued', 'at the end of the lease')
  stage.see(
    'why, and which attempt is next',
    'worker_crash, attempt 2',
    `${back.error_kind}, attempt ${back.attempt}`,
  )
  ;(await stage.nextCall(next.worker)).answer('Taken over.')
  const done = await stage.becomes(job_id, 'succeeded', 'run by another worker')
  stage.see('by whom, in which run', 'worker-next, run 2', `${done.worker_id}, run ${done.run}`)
  await next.worker.idle()
}

async function givenUp(stage: Stage): Promise<void> {
  const dying = stage.process('worker-dying-too')
  const { job_id } = await stage.submit('Only one attempt', { max_attempts: 1 })
  await stage.nextCall(dying.worker)
  await stage.settled()
  dying.worker.close()
  stage.clock.pass(leaseMs)
  const failed = await stage.becomes(job_id, 'failed', 'with its attempts spent, at the end of the lease')
  stage.see('for what', 'worker_crash', failed.error_kind)
}
