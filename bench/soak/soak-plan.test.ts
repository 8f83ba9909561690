import { describe, expect, it } from 'vitest'
import { promptKinds } from './prompt-kinds.ts'
import { readSoakOptions, soakDefaults } from './soak-options.ts'
import { planSoak } from './soak-plan.ts'

describe('the plan of a soak', () => {
  it('is a pure function of its options', () => {
    const options = { ...soakDefaults, seed: 42, prompts: 300, kills: 7 }
    const plan = planSoak(options)
    expect(planSoak({ ...options })).toEqual(plan)
    expect(planSoak({ ...options, seed: 43 }).digest).not.toBe(plan.digest)
    expect(planSoak({ ...options, workers: 4 }).digest).not.toBe(plan.digest)
  })

  it('has every kind, exactly as many prompts as asked for, and ids of their own', () => {
    for (const prompts of [60, 120, 2_000]) {
      const planned = planSoak({ ...soakDefaults, prompts }).threads.flat()
      expect(planned).toHaveLength(prompts)
      expect(new Set(planned.map(({ id }) => id)).size).toBe(prompts)
      expect(new Set(planned.map(({ text }) => text)).size).toBe(prompts)
      expect([...new Set(planned.map(({ kind }) => kind))].sort()).toEqual(Object.keys(promptKinds).sort())
    }
  })

  it('has its crashes at moments of progress, in order, before all have settled', () => {
    const { restarts, kills } = planSoak({ ...soakDefaults, prompts: 200, kills: 5, restarts: 3 })
    for (const moments of [restarts, kills.map(({ atSettled }) => atSettled ?? -1)]) {
      expect(moments).toEqual([...moments].sort((a, b) => a - b))
      expect(moments.every((at) => at > 0 && at < 200)).toBe(true)
    }
    expect(restarts).toHaveLength(3)
    expect(kills).toHaveLength(5)
  })
})

describe('the options of a soak', () => {
  it('are read as a person writes them', () => {
    expect(readSoakOptions(['--', '--seed', '7', '--kill-every-ms', '500'])).toEqual({
      ...soakDefaults,
      seed: 7,
      killEveryMs: 500,
    })
  })

  it('name what is wrong', () => {
    expect(() => readSoakOptions(['--prompts', 'many'])).toThrow('--prompts must be a whole number')
    expect(() => readSoakOptions(['--workers', '0'])).toThrow('--workers')
    expect(() => readSoakOptions(['--sed', '7'])).toThrow('--sed')
  })
})
