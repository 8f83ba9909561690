/** One turn on the path that is read, with the turns that stand beside it. */
export interface PathStep {
  readonly promptId: string
  /** All that continue the same prompt, this one included, oldest first. More than one: here the thread parts. */
  readonly branches: readonly string[]
}

/**
 * The way through a thread that is read from top to bottom: from its root to the open prompt, and on along the first
 * continuation of each, which is the one that stays in the row on the field.
 *
 * @param ids the thread's prompts, oldest first
 * @param parentOf what each continues; null or one outside of `ids`: it begins the thread
 * @param openId the prompt that has to be on it; one that is not in `ids` counts as the first
 */
export function threadPath(
  ids: readonly string[],
  parentOf: (promptId: string) => string | null,
  openId: string | null,
): readonly PathStep[] {
  const known = new Set(ids)
  const children = new Map<string | null, string[]>()
  const parents = new Map<string, string | null>()
  for (const id of ids) {
    const parent = parentOf(id)
    const within = parent !== null && known.has(parent) ? parent : null
    parents.set(id, within)
    children.set(within, [...(children.get(within) ?? []), id])
  }
  const chosen = ancestry(openId !== null && known.has(openId) ? openId : null, parents)
  const path: PathStep[] = []
  const walked = new Set<string>()
  for (let at: string | null = null; ; ) {
    const branches: readonly string[] = children.get(at) ?? []
    const next: string | undefined = branches.find((id) => chosen.has(id)) ?? branches[0]
    if (next === undefined || walked.has(next)) return path
    walked.add(next)
    path.push({ promptId: next, branches })
    at = next
  }
}

/** How many branches a thread has, the first one included. */
export function branchCount(ids: readonly string[], parentOf: (promptId: string) => string | null): number {
  const continued = new Set(ids.map(parentOf))
  return ids.filter((id) => !continued.has(id)).length
}

function ancestry(openId: string | null, parents: ReadonlyMap<string, string | null>): ReadonlySet<string> {
  const chosen = new Set<string>()
  for (let at = openId; at !== null && !chosen.has(at); at = parents.get(at) ?? null) chosen.add(at)
  return chosen
}
