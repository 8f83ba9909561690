import { agingMsDefault } from '../../domain/claim-order.ts'
import { listJobs } from '../../execution/operate-jobs.ts'
import type { Proof } from './proof.ts'
import type { Stage, StageProcess } from './stage.ts'

const minuteMs = 60_000

export const priorityQueue: Proof = {
  name: 'priority-queue',
  says: 'Priority decides who runs first, and aging sees to it that priority 100 is overtaken for ten minutes at most.',
  async play(stage) {
    const one = stage.process('worker-a', 1)
    for (const priority of [90, 50, 10]) {
      await stage.submit(`priority ${priority}`, { priority })
      stage.clock.pass(1_000)
    }
    const order: string[] = []
    for (let turn = 0; turn < 3; turn++) order.push(await runNext(stage, one))
    stage.see(
      'submitted at 90, 50 and 10, they run in this order',
      'priority 10, priority 50, priority 90',
      order.join(', '),
    )
    stage.see('how they stand', 'succeeded, succeeded, succeeded', await statesOf(stage, one))

    const patient = await stage.submit('the patient one', { priority: 100 })
    const overtaken = (100 * agingMsDefault) / minuteMs
    let overtakers = 0
    for (let minute = 1; minute <= overtaken + 2; minute++) {
      stage.clock.pass(minuteMs)
      await stage.submit(`urgent, minute ${minute}`, { priority: 0 })
      if ((await runNext(stage, one)) === 'the patient one') break
      overtakers += 1
    }
    stage.see(
      'a priority 100 that waits while a priority 0 comes every minute is overtaken',
      'at most 10 times, and at least 9',
      `${overtakers} times`,
      overtakers >= 9 && overtakers <= 10,
    )
    const { state } = await stage.job(patient.job_id)
    stage.see('the priority 100, after ten minutes', 'succeeded', state)
  },
}

/** Lets the worker claim one job and answers it. @returns its prompt's text. */
async function runNext(stage: Stage, { worker }: StageProcess): Promise<string> {
  const call = await stage.nextCall(worker)
  call.answer('Done.')
  await worker.idle()
  return call.text
}

async function statesOf(stage: Stage, { execution }: StageProcess): Promise<string> {
  const jobs = await listJobs(execution, { orgId: stage.owner.orgId })
  return jobs
    .slice(0, 3)
    .map((job) => job.state)
    .join(', ')
}
