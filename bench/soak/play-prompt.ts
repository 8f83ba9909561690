import { setTimeout as wait } from 'node:timers/promises'
import { isTerminal } from '../../bff/domain/job-state.ts'
import type { PromptView } from '../../shared/prompt-view.ts'
import { type Acknowledged, type Conflict, isConflict, type MissionClient } from './mission-client.ts'
import { endOf, type FinalState, promptKinds, sameEnd } from './prompt-kinds.ts'
import type { PlannedPrompt } from './soak-plan.ts'
import type { ViewWatch } from './view-watch.ts'

/** What the server acknowledged of one prompt; the database has to agree in the end. */
export interface PlayedPrompt {
  readonly plan: PlannedPrompt
  /** Null until the submit was acknowledged. */
  jobId: string | null
  /** The job whose cancel was acknowledged. */
  cancelledJobId: string | null
  /** The cancel of a race came too late, so that it has to be answered. */
  cancelRefused: boolean
  /** Jobs that failed because processes died around them, and that the person retried. */
  retriedAfterCrash: number
  settled: boolean
}

/** How the prompts of a thread wait for each other. */
export interface Stage {
  client: MissionClient
  watch: ViewWatch
  /** Resolves once the prompt was accepted. */
  accepted(promptId: string): Promise<void>
  /** The prompt that continues this one. */
  followerOf(promptId: string): PlannedPrompt | undefined
  broke(what: string): void
}

/** Does with one prompt what a person would, until it is as its kind has to end. */
export async function playPrompt(played: PlayedPrompt, stage: Stage): Promise<void> {
  const { plan } = played
  if (plan.parentId !== null) await stage.accepted(plan.parentId)
  await submit(played, stage)
  switch (plan.kind) {
    case 'cancelled-waiting':
      await cancel(played, stage)
      break
    case 'cancelled-running':
      await cancelWhileRunning(played, stage)
      break
    case 'cancelled-racing':
      await wait(plan.actAfterMs)
      await cancel(played, stage)
      break
    case 'revived':
      await cancel(played, stage)
      await retry(played, stage)
      break
    case 'asked-again':
      await settle(played, stage)
      await retry(played, stage)
      break
    case 'held-first':
      await cancelUnderFollower(played, stage)
      break
    case 'freed-first':
      await cancelUnderFollower(played, stage)
      await retry(played, stage)
      break
    default:
  }
  await settle(played, stage)
  played.settled = true
}

/** The state of a view in the terms of the kinds. */
export function finalStateOf(view: PromptView): FinalState {
  return {
    state: view.state,
    errorKind: view.error_kind,
    held: view.wait_reason?.code === 'held' ? view.wait_reason.cause : null,
  }
}

async function submit(played: PlayedPrompt, { client, watch, broke }: Stage): Promise<void> {
  const { id, text, kind, parentId, priority, server, sentTwice } = played.plan
  const request = {
    prompt_id: id,
    text,
    ...(parentId !== null && { parent_id: parentId }),
    options: { ...promptKinds[kind].options, priority },
  }
  const { jobId, view } = await client.submit(request, server)
  played.jobId = jobId
  watch.take(view)
  if (!sentTwice) return
  const again = await client.submit(request, server + 1)
  if (again.jobId !== jobId) broke(`prompt ${id} sent twice became job ${jobId} and job ${again.jobId}`)
}

/** Until it ends as its kind has to; a person asks again where crashes used up what it may spend. */
async function settle(played: PlayedPrompt, stage: Stage): Promise<void> {
  const { id, kind } = played.plan
  const wanted = played.cancelRefused ? endOf('fast') : endOf(kind)
  for (;;) {
    const view = await stage.watch.until(id, (each) => isTerminal(each.state) || isHeld(each))
    const now = finalStateOf(view)
    if (wanted === 'either' ? now.state !== 'failed' : sameEnd(now, wanted)) return
    if (kind === 'fails-once' && now.errorKind === 'provider_4xx') await retry(played, stage)
    else if (view.state === 'failed' && isOfCrash(now)) {
      played.retriedAfterCrash += 1
      await retry(played, stage)
    } else if (isHeld(view)) {
      // Its predecessor crashed and is retried by its own script, or is cancelled before it is freed.
      await stage.watch.until(id, (each) => each.revision > view.revision)
    } else throw new Error(`prompt ${id} (${kind}) ended ${words(now)}`)
  }
}

/** What a prompt may end with because processes or the database died around it; its kind knows better. */
function isOfCrash({ errorKind }: FinalState): boolean {
  return errorKind === 'worker_crash' || errorKind === 'unknown'
}

function isHeld(view: PromptView): boolean {
  return view.state === 'queued' && view.wait_reason?.code === 'held'
}

async function cancelWhileRunning(played: PlayedPrompt, stage: Stage): Promise<void> {
  const { id } = played.plan
  for (;;) {
    const view = await stage.watch.until(id, ({ state }) => state === 'running' || isTerminal(state))
    if (view.state !== 'running') {
      played.retriedAfterCrash += 1
      await retry(played, stage)
    } else if (await cancel(played, stage)) return
    else await stage.watch.until(id, ({ revision }) => revision > view.revision)
  }
}

/** A follower is accepted before its first is cancelled, and is held by that. */
async function cancelUnderFollower(played: PlayedPrompt, stage: Stage): Promise<void> {
  const follower = stage.followerOf(played.plan.id)
  if (!follower) throw new Error(`prompt ${played.plan.id} has no follower`)
  await stage.accepted(follower.id)
  await cancel(played, stage)
  await stage.watch.until(follower.id, isHeld)
}

/** @returns whether it was acknowledged; a refusal says why, and must be right. */
async function cancel(played: PlayedPrompt, { client, watch }: Stage): Promise<boolean> {
  const { id, server } = played.plan
  const answer = await client.cancel(id, server + 1)
  if (isConflict(answer)) {
    if (answer.state === 'queued' || answer.state === 'running') {
      throw new Error(`the cancel of prompt ${id} was refused though it is ${answer.state}`)
    }
    played.cancelRefused = played.plan.kind === 'cancelled-racing'
    return false
  }
  played.cancelledJobId = answer.jobId
  watch.take(answer.view)
  return true
}

/** A refusal means that a retry of ours was heard though its answer was not: its job is there already. */
async function retry(played: PlayedPrompt, { client, watch }: Stage): Promise<void> {
  const { id, server } = played.plan
  const before = watch.latest(id)
  const answer: Acknowledged | Conflict = await client.retry(id, server)
  if (!isConflict(answer)) watch.take(answer.view)
  else await watch.until(id, ({ job_id }) => job_id !== before?.job_id)
}

function words({ state, errorKind, held }: FinalState): string {
  return [state, errorKind, held && `held by one that ${held}`].filter(Boolean).join(' ')
}
