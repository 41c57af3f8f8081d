import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Allocation,
  type Allocator,
  ClusterSimulator,
  createTelemetry,
  DEFAULT_BOUNDS,
  GuardedAllocator,
  type GuardedAllocatorOptions,
  generateApplication,
  generateLoad,
  type KnowingAllocator,
  type LearningAllocator,
  operate,
  type Telemetry,
} from '../../../src/autoscaling/index.js'
import { SensibleRule } from './rules.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const asking = (wanted: Partial<Allocation>, more: Partial<KnowingAllocator> = {}): KnowingAllocator => ({
  ...{ name: 'asks', reads: [], reset: () => {}, isKnown: () => true },
  allocate: (_, out) => Object.assign(out, wanted),
  ...more,
})
const held: Allocation = { coresPerReplica: 2, memoryMiBPerReplica: 600, replicas: 4 }
const rule = (): Allocator => ({ ...asking(held), name: 'rule' })
const within: Allocation = { coresPerReplica: 1.5, memoryMiBPerReplica: 500, replicas: 2 }

/** A guard and its steps: what it serves is in force in the next one. */
function play(allocator: Allocator, options: GuardedAllocatorOptions = {}) {
  const guarded = new GuardedAllocator(core, rule(), allocator, options)
  const inForce = { ...held }
  let seconds = 0
  const step = (rest: Partial<Telemetry> = {}) => {
    seconds += 15
    const t: Telemetry = {
      ...createTelemetry(),
      ...{ timeSeconds: seconds, sloMs: 100, requests: 300, ratePerSecond: 20, p99Ms: 40, usedCores: 1 },
      ...{ usedMemoryMiB: 300, readyReplicas: inForce.replicas, ...rest },
      coresPerReplica: rest.coresPerReplica ?? inForce.coresPerReplica,
      memoryMiBPerReplica: rest.memoryMiBPerReplica ?? inForce.memoryMiBPerReplica,
    }
    Object.assign(inForce, { coresPerReplica: t.coresPerReplica, memoryMiBPerReplica: t.memoryMiBPerReplica })
    guarded.allocate(t, inForce)
    return { ...guarded.explain(), out: { ...inForce } }
  }
  for (let i = 0; i < 40; i++) step() // the load has been seen
  return { guarded, step }
}

describe('a guarded allocator', () => {
  it('serves what is within the limits as it was asked for', () => {
    expect(play(asking(within)).step()).toMatchObject({
      served: 'allocator',
      reason: 'within',
      out: within,
      shadow: held,
    })
  })

  it('is blamed for nothing while it only watches: neither late resizes nor what others break', () => {
    const { guarded, step } = play(asking(within))
    const watch = (rest: Partial<Telemetry>) => {
      guarded.noteAsked(undefined)
      return step({ coresPerReplica: 1, memoryMiBPerReplica: 400, ...rest }) // less than the rule would hold, by somebody else
    }
    for (let i = 0; i < 50; i++) watch({ p99Ms: 500, coresPerReplica: 1 + (i % 3) / 10 })
    expect(guarded.budget.spentSteps).toBe(0)
    expect(watch({})).toMatchObject({ served: 'allocator', reason: 'within' })
    step({ coresPerReplica: 1, p99Ms: 500 }) // what it asked for is in force again
    step({ coresPerReplica: 1, p99Ms: 500 })
    expect(guarded.budget.spentSteps).toBeGreaterThan(0)
  })

  it('shows what would be in force once all has settled, while nothing is carried out: no boost, no credit', () => {
    const few = { readyReplicas: 1, coresPerReplica: 1, memoryMiBPerReplica: 300 } // whatever is shown, this stays
    const { guarded, step } = play(asking({ coresPerReplica: 4, replicas: 20 })) // never within the cost
    for (let i = 0; i < 300; i++) {
      guarded.noteAsked(undefined)
      const { served, shadow, out } = step({ ...few, usedCores: 0.95, p99Ms: 200, oomKills: i % 50 === 49 ? 1 : 0 })
      if (i % 50 >= 10 && i % 50 < 49) expect({ served, out }).toEqual({ served: 'rule', out: shadow })
    }
  })

  it('takes what was really asked for in place of what it filled in', () => {
    const { guarded, step } = play(asking(within))
    const asked = { coresPerReplica: 1.75, memoryMiBPerReplica: 512, replicas: 3 } // limited on its way
    for (let i = 0; i < 6; i++) {
      guarded.noteAsked({ ...asked, coresPerReplica: asked.coresPerReplica + (i % 2) / 10 })
      const { reason } = step({ ...asked, coresPerReplica: asked.coresPerReplica + (i % 2) / 10 })
      expect(reason).toBe('within')
    }
  })

  it('keeps a quarter of the rule’s cores, and pods enough for all of them', () => {
    const { served, reason, out } = play(
      asking({ coresPerReplica: 0.125, memoryMiBPerReplica: 128, replicas: 1 }),
    ).step()
    expect({ served, reason }).toEqual({ served: 'clamped', reason: 'floor' })
    expect(out.replicas).toBe(2) // 8 cores in pods of 4
    expect(out.replicas * out.coresPerReplica).toBeCloseTo(2, 6)
    expect(out.memoryMiBPerReplica).toBeGreaterThanOrEqual(300)
  })

  it('spends at most 1.25 of what the rule does, and breaks nothing to save', () => {
    const { step } = play(asking({ coresPerReplica: 4, memoryMiBPerReplica: 3072, replicas: 20 }))
    for (let i = 0; i < 100; i++) {
      const { out } = step()
      expect(out.replicas * out.coresPerReplica).toBeLessThanOrEqual(1.25 * 8 + 1e-6)
      expect(out.replicas * out.coresPerReplica).toBeGreaterThanOrEqual(8 - 1e-6)
    }
  })

  it.each([
    ['no number', asking({ replicas: Number.NaN }), {}, 'rule', 'not-finite'],
    ['an infinity', asking({ coresPerReplica: Number.POSITIVE_INFINITY }), {}, 'rule', 'not-finite'],
    [
      'telemetry that is missing',
      asking(within, { reads: ['usedMemoryMiB'] }),
      { usedMemoryMiB: Number.NaN },
      'rule',
      'not-measured',
    ],
    ['an allocator that does not know', asking(within, { isKnown: () => false }), {}, 'clamped', 'unknown'],
    ['a load never seen', asking(within), { ratePerSecond: 22, requests: 330 }, 'clamped', 'new-load'],
    ['a breach', asking(within), { p99Ms: 300 }, 'rule', 'recovering'],
    ['a kill', asking(within), { oomKills: 2 }, 'rule', 'recovering'],
  ] as const)('keeps at least the rule’s capacity for %s', (_, allocator, telemetry, served, reason) => {
    const { step } = play(allocator)
    const told = step(telemetry)
    expect(told).toMatchObject({ served, reason })
    expect(told.out.replicas * told.out.coresPerReplica).toBeGreaterThanOrEqual(8 - 1e-6)
  })

  it('hands over to the rule in debt, at once, and tightens before', () => {
    const { guarded, step } = play(asking({ coresPerReplica: 0.125, memoryMiBPerReplica: 128, replicas: 2 }))
    const shares: number[] = []
    for (let i = 0; i < 200 && !guarded.budget.isInDebt; i++) {
      shares.push(step(i % 8 === 0 ? { p99Ms: 400 } : {}).leastCores)
    }
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect(shares.some((share) => share > 0.3 && share < 0.9)).toBe(true) // by and by, not all at once
    expect(shares.at(-1)).toBe(1)
    expect(step()).toMatchObject({ served: 'rule', reason: 'debt', out: { coresPerReplica: 2, replicas: 4 } })
  })

  it('is not charged for what breaks under all that the rule would have had', () => {
    const { guarded, step } = play(asking(held))
    for (let i = 0; i < 20; i++) step({ p99Ms: 400 })
    expect(guarded.budget.spentSteps).toBe(0)
  })

  it('finds out that sizes are not in force a step later, and that they are again', () => {
    let cores = 1
    const flapping = asking({}, { allocate: (_, out) => void Object.assign(out, within, { coresPerReplica: cores }) })
    const { step } = play(flapping)
    for (let i = 0; i < 3; i++) {
      cores = 1 + (i % 2) / 2
      step({ coresPerReplica: 2, memoryMiBPerReplica: 600 })
    }
    expect(step()).toMatchObject({ served: 'rule', reason: 'late-resize', out: { coresPerReplica: 2, replicas: 4 } })
  })

  it('keeps the rule’s size where pods must be restarted', () => {
    const { out } = play(asking(within), { resize: 'restart' }).step()
    expect(out).toEqual(held)
  })

  it('saves what the allocator learned with its own, goes on from there, and refuses what is none', () => {
    const simulate = (allocator: Allocator, second: number): number => {
      const simulator = new ClusterSimulator(core, generateApplication(core, 3), generateLoad(core, 3, 2))
      simulator.reset(second, 3)
      const { dollarsPerHour } = operate(simulator, allocator, { steps: 200 })
      simulator.dispose()
      return dollarsPerHour
    }
    const learner = (): LearningAllocator => {
      let asked = 0
      return {
        ...asking({}),
        allocate: (_, out) => void Object.assign(out, within, { coresPerReplica: 1 + (asked++ % 5) / 10 }),
        save: () => Uint8Array.of(asked % 5),
        load: (state) => {
          asked = state[0]!
        },
      }
    }
    const make = () => new GuardedAllocator(core, { ...asking(held), name: 'rule' }, learner())
    const [first, second] = [make(), make()]
    simulate(first, 0)
    const saved = first.save()
    second.load(Buffer.from(saved))
    expect(second.save()).toEqual(saved)
    expect(simulate(second, 3000)).toBe(simulate(first, 3000))
    expect(second.save()).toEqual(first.save())
    for (const bad of [new Uint8Array(), saved.slice(0, 100), saved.slice(8), saved.with(0, 9)]) {
      expect(() => second.load(bad)).toThrow(expect.objectContaining({ code: 'guard_state_invalid' }))
    }
    expect(second.save()).toEqual(first.save())
  })

  it('begins anew for another application', () => {
    const { guarded, step } = play(asking(within))
    step({ p99Ms: 400 })
    expect(guarded.budget.spentSteps).toBeGreaterThan(0)
    guarded.reset()
    expect(guarded.save()).toEqual(new GuardedAllocator(core, rule(), asking(within)).save())
  })

  it('refuses options that cannot be, all at once', () => {
    const make = () =>
      new GuardedAllocator(core, new SensibleRule(DEFAULT_BOUNDS), asking(within), { leastCores: 2, mostCost: 0.5 })
    expect(make).toThrow(/leastCores.*mostCost/)
  })
})
