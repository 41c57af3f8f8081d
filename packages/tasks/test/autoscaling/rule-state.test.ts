import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Allocation,
  createTelemetry,
  DEFAULT_BOUNDS,
  GuardedAllocator,
  HpaVpaRule,
  ResizeRule,
  type Rule,
} from '../../src/autoscaling/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const cluster = { bounds: DEFAULT_BOUNDS, resize: 'in-place', stepSeconds: 15 } as const
const RULES: Readonly<Record<string, () => Rule>> = {
  'HPA and VPA': () => new HpaVpaRule(core, cluster, { podCores: 1, targetPercent: 50 }),
  resize: () =>
    new ResizeRule(cluster, { targetPercent: 60, windowSteps: 8, leastCores: 0.5, hysteresis01: 0.1, headroom: 1.3 }),
}

/** Four replicas of 1 core that use `usedCores` in all, `steps` times from `from` on. */
function play(rule: Pick<Rule, 'allocate'>, from: number, steps: number, usedCores: number): Allocation[] {
  return Array.from({ length: steps }, (_, i) => {
    const out = { coresPerReplica: 1, memoryMiBPerReplica: 512, replicas: 4 }
    const load = { ratePerSecond: 100 * usedCores, requests: 1500 * usedCores, p99Ms: 40, sloMs: 100 }
    const pods = { readyReplicas: 4, coresPerReplica: 1, memoryMiBPerReplica: 512, usedMemoryMiB: 200 + usedCores }
    rule.allocate({ ...createTelemetry(), timeSeconds: 15 * (from + i), usedCores, ...load, ...pods }, out)
    return out
  })
}

describe.each(Object.keys(RULES))('the memory of the rule: %s', (name) => {
  const make = () => RULES[name]!()

  it('goes on after a restart as if there had been none', () => {
    const [before, after] = [make(), make()]
    play(before, 1, 100, 2)
    after.load!(before.save!())
    expect(play(after, 101, 60, 0.5)).toEqual(play(before, 101, 60, 0.5))
  })

  it('matters: without it a lull right after the restart is followed sooner', () => {
    const [before, forgetful] = [make(), make()]
    play(before, 1, 100, 2)
    expect(play(forgetful, 101, 60, 0.5)).not.toEqual(play(before, 101, 60, 0.5))
  })

  it('goes with the state of a guard', () => {
    const guarded = () => new GuardedAllocator(core, make(), make(), { bounds: DEFAULT_BOUNDS })
    const [before, after] = [guarded(), guarded()]
    play(before, 1, 100, 2)
    after.load(before.save())
    expect(play(after, 101, 60, 0.5)).toEqual(play(before, 101, 60, 0.5))
  })

  it('is refused politely where it is none', () => {
    for (const bytes of [new Uint8Array(), new Uint8Array(64), new TextEncoder().encode('{"version":9}')])
      expect(() => make().load!(bytes)).toThrowError(expect.objectContaining({ code: 'rule_state_invalid' }))
  })
})

describe('settings of HPA and VPA', () => {
  const settings = { podCores: 1, targetPercent: 50 }

  it('are honoured: how long fewer must have been enough', () => {
    const fewerAfter = (scaleDownStabilizationSeconds: number) => {
      const rule = new HpaVpaRule(core, cluster, { ...settings, scaleDownStabilizationSeconds })
      play(rule, 1, 1, 2)
      return 15 * play(rule, 2, 200, 0.5).findIndex(({ replicas }) => replicas < 4)
    }
    expect(fewerAfter(600) - fewerAfter(300)).toBe(300)
  })

  it('are honoured: percentile, margin and least of what is requested', () => {
    const requested = (more: object): number => {
      const rule = new HpaVpaRule(core, { ...cluster, resize: 'none' }, { ...settings, leastMemoryMiB: 1, ...more })
      return play(rule, 1, 6000, 2).at(-1)!.memoryMiBPerReplica
    }
    const usual = requested({})
    expect(usual).toBeGreaterThan(202 * 1.15) // a percentile is the end of its bucket
    expect(requested({ memoryMargin: 0.3 }) / usual).toBeCloseTo(1.3 / 1.15, 3)
    expect(requested({ leastMemoryMiB: 777 })).toBe(777)
  })
})
