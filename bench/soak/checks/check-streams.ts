import { viewsMax, viewsResponse } from '../../../shared/observe.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import type { Follower } from '../follow-views.ts'
import type { MissionServer } from '../mission-server.ts'
import type { SoakFacts } from '../read-facts.ts'

/** What every prompt is, in the few fields that tell any two moments of it apart. */
interface Standing {
  jobId: string
  state: string
  revision: number
}

/** The end of each prompt as the database has it is what each stream told last, and what each server answers. */
export async function checkStreams(
  facts: SoakFacts,
  followers: readonly Follower[],
  servers: readonly MissionServer[],
): Promise<string[]> {
  const truth = standings(facts)
  const told = followers.flatMap((follower, index) => [
    ...(follower.resyncs > 0 ? [`stream ${index} had ${follower.resyncs} gaps`] : []),
    ...differences(truth, (id) => follower.views.get(id), `stream ${index} told of`),
  ])
  const answers = await Promise.all(
    servers.map(async (server, index) => {
      const views = await readViews(server, [...truth.keys()])
      return differences(truth, (id) => views.get(id), `server ${index} answers for`)
    }),
  )
  return [...told, ...answers.flat()]
}

/** Whether a stream has told everything there is by now. */
export function hasTold(facts: Pick<SoakFacts, 'prompts'>, follower: Follower): boolean {
  return facts.prompts.every(({ id, revision }) => (follower.views.get(id)?.revision ?? 0) >= revision)
}

function standings({ prompts, jobs }: SoakFacts): Map<string, Standing> {
  const current = new Map(
    jobs.flatMap((job) => (job.state === 'superseded' ? [] : [[job.promptId, job] as const])),
  )
  return new Map(
    prompts.map(({ id, revision }) => {
      const job = current.get(id)
      return [id, { jobId: job?.id ?? 'none', state: job?.state ?? 'none', revision }]
    }),
  )
}

function differences(
  truth: ReadonlyMap<string, Standing>,
  viewOf: (promptId: string) => PromptView | undefined,
  who: string,
): string[] {
  return [...truth].flatMap(([id, { jobId, state, revision }]) => {
    const view = viewOf(id)
    if (view?.job_id === jobId && view.state === state && view.revision === revision) return []
    const said = view ? `job ${view.job_id} ${view.state} at revision ${view.revision}` : 'nothing'
    return [`${who} prompt ${id} ${said}; it is job ${jobId} ${state} at revision ${revision}`]
  })
}

async function readViews(server: MissionServer, ids: string[]): Promise<Map<string, PromptView>> {
  const views = new Map<string, PromptView>()
  for (let at = 0; at < ids.length; at += viewsMax) {
    const page = ids.slice(at, at + viewsMax)
    const response = await server.fetch(`/api/v1/mission/views?ids=${page.join(',')}`)
    for (const view of viewsResponse.parse(await response.json()).views) views.set(view.prompt_id, view)
  }
  return views
}
