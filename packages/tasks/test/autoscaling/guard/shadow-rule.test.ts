import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Allocation,
  ClusterSimulator,
  createTelemetry,
  DEFAULT_BOUNDS,
  GuardedAllocator,
  generateApplication,
  generateLoad,
  operate,
  ShadowRule,
} from '../../../src/autoscaling/index.js'
import { ADVERSARIES } from './adversaries.js'
import { ResizeRule, SensibleRule } from './rules.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const DAYS = 2
const STEPS = DAYS * 5760

/** Cores and memory of the rule step by step: really alone, and in the shadow of others. */
function compare(seed: number, make: () => GuardedAllocator) {
  const follow = (allocator: GuardedAllocator | SensibleRule): Allocation[] => {
    const load = generateLoad(core, seed, DAYS + 1)
    const simulator = new ClusterSimulator(core, generateApplication(core, seed), load, { sloFactor: 3 })
    simulator.reset(0, seed)
    const shadow = 'shadow' in allocator ? allocator.shadow : undefined
    const held: Allocation[] = []
    operate(simulator, allocator, {
      steps: STEPS,
      onStep: () => held.push({ ...(shadow ? shadow.allocation : simulator.allocation) }),
    })
    simulator.dispose()
    return held
  }
  const alone = follow(new SensibleRule(DEFAULT_BOUNDS))
  const shadow = follow(make())
  const ratios = (of: (a: Allocation) => number): number[] => alone.map((a, i) => of(shadow[i]!) / of(a))
  return {
    cores: ratios((a) => a.replicas * a.coresPerReplica),
    memory: ratios((a) => a.memoryMiBPerReplica),
  }
}

const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length
const shareBeyond = (list: readonly number[], limit: number): number =>
  list.filter((ratio) => Math.abs(ratio - 1) > limit).length / list.length

describe('a rule in shadow', () => {
  it.each(['resize', 'smallest', 'random', 'many tiny pods'])(
    'does what it would do alone, whoever acts: %s',
    (name) => {
      for (const seed of [3, 5]) {
        const { cores, memory } = compare(seed, () => {
          if (name === 'resize')
            return new GuardedAllocator(core, new SensibleRule(DEFAULT_BOUNDS), new ResizeRule(0.4))
          const adversary = ADVERSARIES[name]!(core)
          const guarded = new GuardedAllocator(core, new SensibleRule(DEFAULT_BOUNDS), adversary)
          adversary.meet(guarded)
          return guarded
        })
        expect(shareBeyond(cores, 0.05)).toBeLessThan(0.02)
        expect(shareBeyond(memory, 0.15)).toBeLessThan(0.05)
        const lastDay = cores.slice(-5760)
        expect(Math.abs(mean(lastDay) - 1)).toBeLessThan(0.01) // no drift
        expect(Math.abs(mean(memory.slice(-5760)) - 1)).toBeLessThan(0.05)
      }
    },
  )

  const step = (seconds: number, rest: object) => ({
    ...createTelemetry(),
    ...{ timeSeconds: seconds, sloMs: 100, requests: 150, ratePerSecond: 10 },
    ...{ usedCores: 0.5, usedMemoryMiB: 300, readyReplicas: 1, coresPerReplica: 1, memoryMiBPerReplica: 512 },
    ...rest,
  })
  const start: Allocation = { coresPerReplica: 1, memoryMiBPerReplica: 512, replicas: 1 }

  it('starts its own replicas and waits for them', () => {
    const rule = {
      name: 'three',
      reads: [],
      reset: () => {},
      allocate: (_: unknown, out: Allocation) => void Object.assign(out, { replicas: 3 }),
    }
    const shadow = new ShadowRule(rule)
    const ready: number[] = []
    for (let i = 1; i <= 4; i++) {
      shadow.observe(step(15 * i, {}), start)
      ready.push(shadow.readyReplicas)
    }
    expect(ready).toEqual([1, 1, 3, 3])
    expect(shadow.allocation.replicas).toBe(3)
  })

  it('sees what the load asks for where the real system is saturated, and its own queue where it is itself', () => {
    const seen: number[] = []
    const rule = {
      name: 'small',
      reads: [],
      reset: () => {},
      allocate: (t: { usedCores: number }, out: Allocation) => {
        seen.push(t.usedCores)
        out.coresPerReplica = 1
      },
    }
    const shadow = new ShadowRule(rule)
    for (let i = 1; i <= 20; i++) shadow.observe(step(15 * i, {}), start) // .05 core-seconds of work a request
    const starved = { coresPerReplica: 0.25, memoryMiBPerReplica: 512, usedCores: 0.25, droppedRequests: 20 }
    shadow.observe(step(315, { ...starved, ratePerSecond: 16, requests: 240 }), start)
    expect(seen.at(-1)).toBeCloseTo(0.8, 6)
    shadow.observe(step(330, { ...starved, ratePerSecond: 40, requests: 600 }), start)
    expect(seen.at(-1)).toBeCloseTo(1, 6)
    shadow.observe(step(345, { ...starved, ratePerSecond: 4, requests: 60 }), start)
    expect(seen.at(-1)).toBeGreaterThan(0.6) // .2 and what waited
  })

  it('keeps its allocation where what it reads was not measured', () => {
    const shadow = new ShadowRule({
      name: 'up',
      reads: ['usedCores'],
      reset: () => {},
      allocate: (_, out) => void out.replicas++,
    })
    shadow.observe(step(15, {}), start)
    shadow.observe(step(30, { usedCores: Number.NaN }), start)
    expect(shadow.allocation.replicas).toBe(2)
  })

  it('goes on elsewhere from what was saved, and refuses what is none', () => {
    const make = () =>
      new ShadowRule({
        name: 'up',
        reads: [],
        reset: () => {},
        allocate: (_, out) => void Object.assign(out, { replicas: (out.replicas % 5) + 1 }),
      })
    const [first, second] = [make(), make()]
    for (let i = 1; i < 30; i++) first.observe(step(15 * i, { usedCores: i % 3 }), start)
    const saved = first.save()
    second.load(saved)
    for (let i = 30; i < 40; i++) for (const shadow of [first, second]) shadow.observe(step(15 * i, {}), start)
    expect(second.save()).toEqual(first.save())
    for (const bad of [[], saved.slice(1), [...saved, 1], saved.with(2, Number.NaN), saved.with(7, 1e9)]) {
      expect(() => second.load(bad)).toThrow(expect.objectContaining({ code: 'guard_state_invalid' }))
    }
    expect(second.save()).toEqual(first.save())
  })
})
