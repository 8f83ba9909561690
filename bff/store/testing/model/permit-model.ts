import { byRank, type ModelJob } from './model-job.ts'

export interface ModelGate {
  closedUntil: number
  probeJobId: string | null
}

export interface FreedNumber {
  orgId: string
  permit: number
}

/**
 * Permits and gates as DESIGN §6 has them, in the order in which the statements of `bff/store/permits` do it. Numbers are
 * 1 to `limit` in each org; who holds one stands in line since `permitAt`.
 */
export function createPermitModel(jobs: ReadonlyMap<string, ModelJob>, limit: number, now: () => number) {
  const gates = new Map<string, ModelGate>()

  const gateLets = (one: ModelJob): boolean => {
    const gate = gates.get(one.provider)
    return !gate || gate.probeJobId === one.id
  }
  const waits = (one: ModelJob): boolean =>
    one.facts.state === 'queued' && one.permit === null && one.blockedBy === null && one.availableAt <= now()
  const inRank = (fits: (one: ModelJob) => boolean): ModelJob[] =>
    [...jobs.values()].filter(fits).sort(byRank)
  const ready = (orgId: string): ModelJob[] =>
    inRank((one) => one.orgId === orgId && waits(one) && gateLets(one))
  const holders = (orgId: string): ModelJob[] =>
    inRank((one) => one.orgId === orgId && one.facts.state === 'queued' && one.permit !== null)
  const free = (orgId: string): number[] => {
    const taken = new Set([...jobs.values()].filter((one) => one.orgId === orgId).map((one) => one.permit))
    return Array.from({ length: limit }, (_, index) => index + 1).filter((permit) => !taken.has(permit))
  }

  const give = (one: ModelJob, permit: number): void => {
    one.permit = permit
    one.permitAt = now()
  }

  const handOn = (freed: readonly FreedNumber[]): void => {
    for (const orgId of new Set(freed.map((one) => one.orgId))) {
      const permits = freed.filter((one) => one.orgId === orgId).map((one) => one.permit)
      const heirs = ready(orgId)
      for (const [index, permit] of permits.sort((a, b) => a - b).entries()) {
        const heir = heirs[index]
        if (heir) give(heir, permit)
      }
    }
  }

  /** The best ranked of those that wait with a permit and those that wait without one have them afterwards. */
  const takeOver = (orgId: string): void => {
    const held = holders(orgId)
    const rivals = ready(orgId).slice(0, held.length)
    const losers = [...held, ...rivals].sort(byRank).slice(held.length)
    handOn(losers.flatMap((loser) => giveBack(loser) ?? []))
  }

  const sortWaiting = (orgId: string): void => {
    const held = holders(orgId)
    const times = held.map((one) => one.permitAt ?? 0).sort((a, b) => a - b)
    for (const [index, one] of held.entries()) one.permitAt = times[index] ?? null
  }

  /** What is free goes to the best ready ones; then a better one takes over from the worst that still waits. */
  const grantIn = (orgId: string): void => {
    const worstBefore = Math.max(Number.NEGATIVE_INFINITY, ...holders(orgId).map((one) => one.claimRank))
    const candidates = ready(orgId)
    const permits = free(orgId)
    const given = candidates.slice(0, permits.length)
    for (const [index, one] of given.entries()) give(one, permits[index] ?? 0)
    const bestLeft = candidates[permits.length]
    const worst = Math.max(worstBefore, ...given.map((one) => one.claimRank))
    const outranked = bestLeft !== undefined && bestLeft.claimRank < worst
    if (outranked) takeOver(orgId)
    if (outranked || given.some((one) => one.claimRank < worstBefore)) sortWaiting(orgId)
  }

  const probeWanted = (gate: ModelGate): boolean => {
    const probe = gate.probeJobId === null ? undefined : jobs.get(gate.probeJobId)
    const underWay =
      probe && (probe.facts.state === 'running' || (probe.facts.state === 'queued' && probe.permit))
    return gate.closedUntil <= now() && !underWay
  }

  /** A gate whose time has come lets one job through, or opens where nobody waits at it. */
  const chooseProbes = (): void => {
    for (const [provider, gate] of gates) {
      if (!probeWanted(gate)) continue
      const waiting = inRank((one) => one.provider === provider && waits(one))
      const probe = waiting.find((one) => free(one.orgId).length > 0) ?? waiting[0]
      if (probe) gate.probeJobId = probe.id
      else gates.delete(provider)
    }
  }

  return {
    gates: gates as ReadonlyMap<string, ModelGate>,
    gateLets,
    handOn,
    grantIn,

    /** What goes back to the queue keeps its permit, unless the gate of its provider is closed. */
    unlessLet(one: ModelJob): FreedNumber[] {
      const freed = gateLets(one) ? null : giveBack(one)
      return freed ? [freed] : []
    },

    openGateOf(jobId: string): void {
      for (const [provider, gate] of gates) if (gate.probeJobId === jobId) gates.delete(provider)
    },

    /** @returns the permits that the provider's waiting jobs give back. */
    closeGate(provider: string, until: number): FreedNumber[] {
      const closedUntil = Math.max(until, gates.get(provider)?.closedUntil ?? 0)
      gates.set(provider, { closedUntil, probeJobId: null })
      const held = inRank((one) => one.provider === provider && one.facts.state === 'queued')
      return held.flatMap((one) => giveBack(one) ?? [])
    },

    /** What a claim does that found too little. */
    grantReady(): void {
      chooseProbes()
      const orgIds = [...new Set([...jobs.values()].map((one) => one.orgId))]
      for (const orgId of orgIds) if (free(orgId).length > 0 && ready(orgId).length > 0) grantIn(orgId)
    },
  }
}

export type PermitModel = ReturnType<typeof createPermitModel>

/** Takes the permit from `one`, if it has one. */
export function giveBack(one: ModelJob): FreedNumber | null {
  const { orgId, permit } = one
  one.permit = null
  one.permitAt = null
  return permit === null ? null : { orgId, permit }
}
