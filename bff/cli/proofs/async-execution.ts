import { readPrompt } from '../../execution/observe/read-prompt.ts'
import type { Proof } from './proof.ts'

export const asyncExecution: Proof = {
  name: 'async-execution',
  says: 'A prompt is accepted at once and goes queued, running, succeeded on the server, whoever watches.',
  async play(stage) {
    const { execution, worker } = stage.process('worker-a')
    const { job_id, prompt_id, state } = await stage.submit('Is anybody there?')
    stage.see('the answer to the submit says', 'queued', state)
    const queued = await stage.job(job_id)
    stage.see('the job as stored, before any worker', 'queued, run 0', `${queued.state}, run ${queued.run}`)
    stage.see('calls to the provider so far', '0', stage.provider.calls.length)

    stage.see('jobs that a worker claims', '1', (await worker.claimOnce()).claimed)
    const call = await stage.call(0)
    const running = await stage.becomes(job_id, 'running', 'the job as stored, during the call')
    stage.see('who holds it, in which run', 'worker-a, run 1', `${running.worker_id}, run ${running.run}`)
    stage.see('the call asks', 'Is anybody there?', call.text)

    stage.clock.pass(1_200)
    call.answer('Yes.')
    const done = await stage.becomes(job_id, 'succeeded', 'the job as stored, after the answer')
    const { answer } = await readPrompt(execution, stage.owner, prompt_id)
    stage.see('the answer that a reader finds', 'Yes.', answer?.text)
    stage.see('the answer belongs to the job', String(done.response_id), answer?.response_id)
    stage.see('runs in the ledger', 'run 1 of 1200 ms', runsOf(done.ledger))
    const kinds = done.events.map(({ kind }) => kind).join(', ')
    stage.see('what its events tell', 'job-queued, job-claimed, job-succeeded', kinds)
    stage.see('jobs that are left to claim', '0', (await worker.claimOnce()).claimed)
  },
}

function runsOf(ledger: readonly { run: number; run_ms: number | null }[]): string {
  return ledger.map(({ run, run_ms }) => `run ${run} of ${run_ms} ms`).join(', ')
}
