// The guarantee: whatever an allocator does, true violations beyond the rule's own stay within the error budget and one reaction.
import { type Core, createCore } from '@trimtab/core'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Allocator,
  type ClusterOptions,
  ClusterSimulator,
  createLoad,
  DEFAULT_BOUNDS,
  DEFAULT_PRICES,
  dollarsPerHour,
  GuardedAllocator,
  type GuardedAllocatorOptions,
  generateApplication,
  generateLoad,
  type LoadSeries,
  operate,
} from '../../src/autoscaling/index.js'
import { ADVERSARIES, type Adversary } from './guard/adversaries.js'
import { ResizeRule, SensibleRule } from './guard/rules.js'

const DAY = 5760 // steps
const STEPS = 2 * DAY
const BUDGET = 0.005 * DAY
const REACTION = 9 // the step that is not yet known of, and eight to clear what it left

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const everyMinute = (name: string, requests: (minute: number) => number): LoadSeries =>
  createLoad(
    name,
    Array.from({ length: (STEPS * 15) / 60 + 60 }, (_, minute) => requests(minute) * wobble(minute)),
  )
const wobble = (minute: number): number => 1 + 0.04 * Math.sin(1.7 * minute) + 0.03 * Math.sin(5.3 * minute)
const LEVELS = [20, 80, 40, 100, 10, 60]

const LOADS = {
  generated: (seed: number) => generateLoad(core, seed, 3),
  growth: () => everyMinute('growth', (minute) => (20 + minute / 36) * (1 + 0.4 * Math.sin(minute / 229))),
  'zero for eight hours, then a step': () => everyMinute('night', (minute) => (minute % 1440 < 480 ? 0 : 60)),
  steps: (seed: number) =>
    everyMinute('steps', (minute) => LEVELS[(Math.floor(minute / 130) * ((seed % 4) + 1)) % LEVELS.length]!),
}

interface World {
  readonly seed: number
  readonly load: keyof typeof LOADS
  readonly sloFactor: number
}

/** A life in a world; what was violated and paid, step by step. */
function live({ seed, load, sloFactor }: World, allocator: Allocator, cluster: Partial<ClusterOptions> = {}) {
  const options = { sloFactor, ...cluster }
  const simulator = new ClusterSimulator(core, generateApplication(core, seed), LOADS[load](seed), options)
  simulator.reset(0, seed)
  const violated: boolean[] = []
  let dollars = 0
  const record = operate(simulator, allocator, {
    steps: STEPS,
    onStep: () => {
      violated.push(simulator.truth.violated)
      const { requestedCores, requestedMemoryMiB } = simulator.truth
      dollars += dollarsPerHour(DEFAULT_PRICES, requestedCores, requestedMemoryMiB)
    },
  })
  simulator.dispose()
  return { violated, dollars, record }
}

type Life = ReturnType<typeof live>
const alone = new Map<string, Life>()
/** The rule alone in that world. */
function ruleIn(world: World, cluster: Partial<ClusterOptions> = {}): Life {
  const key = JSON.stringify([world, cluster])
  const life = alone.get(key) ?? live(world, new SensibleRule(DEFAULT_BOUNDS), cluster)
  alone.set(key, life)
  return life
}

const guard = (allocator: Allocator & Partial<Adversary>, options: GuardedAllocatorOptions = {}): GuardedAllocator => {
  const guarded = new GuardedAllocator(core, new SensibleRule(DEFAULT_BOUNDS), allocator, options)
  allocator.meet?.(guarded)
  return guarded
}

/** Most violations that one life had beyond another in any rolling day. */
function worstDay(life: Life, other: Life): number {
  let [excess, worst] = [0, 0]
  const beyond = (i: number): number => Number(life.violated[i]!) - Number(other.violated[i]!)
  for (let i = 0; i < STEPS; i++) {
    excess += beyond(i) - (i >= DAY ? beyond(i - DAY) : 0)
    worst = Math.max(worst, excess)
  }
  return worst
}

const world = fc.record<World>({
  seed: fc.integer({ min: 1, max: 40 }),
  load: fc.constantFrom(...(Object.keys(LOADS) as (keyof typeof LOADS)[])),
  sloFactor: fc.constantFrom(2, 3),
})
/** The same worlds for every allocator, so that the rule lives in each only once. */
const inWorlds = (numRuns: number, holds: (world: World) => void): void =>
  fc.assert(fc.property(world, holds), { numRuns, seed: 12, endOnFailure: true })

describe('violations beyond the rule’s own, in any rolling day, are at most the budget and one reaction', () => {
  it.each(Object.keys(ADVERSARIES))('%s', (name) => {
    inWorlds(4, (where) => {
      const life = live(where, guard(ADVERSARIES[name]!(core)))
      expect(worstDay(life, ruleIn(where))).toBeLessThanOrEqual(BUDGET + REACTION)
    })
  })

  it.each([
    ['a resize takes a step, and nobody said so', { resizeSteps: 1 }, {}],
    ['pods must be restarted, and nobody said so', { resize: 'restart' }, {}],
    ['pods must be restarted', { resize: 'restart' }, { resize: 'restart' }],
    ['sizes are for ever', { resize: 'none' }, { resize: 'none' }],
    ['memory does not shrink', { memoryShrinks: false }, {}],
  ] as const)('where %s', (_, cluster, options) => {
    inWorlds(2, (where) => {
      for (const name of ['smallest', 'flapping']) {
        const life = live(where, guard(ADVERSARIES[name]!(core), options), cluster)
        expect(worstDay(life, ruleIn(where, cluster))).toBeLessThanOrEqual(BUDGET + REACTION)
      }
    })
  })

  it('also beside a rule that breaks the SLO itself, in a third of all steps', () => {
    for (const [seed, load] of [
      [6, 'generated'],
      [7, 'steps'],
    ] as const) {
      const where = { seed, load, sloFactor: seed === 6 ? 3 : 2 }
      const rule = live(where, new ResizeRule(0.4))
      for (const name of ['smallest', 'random', 'break and rest']) {
        const adversary = ADVERSARIES[name]!(core)
        const guarded = new GuardedAllocator(core, new ResizeRule(0.4), adversary)
        adversary.meet(guarded)
        expect(worstDay(live(where, guarded), rule)).toBeLessThanOrEqual(BUDGET + REACTION)
      }
    }
  })

  it('without a guard there is no such bound: the test can fail', () => {
    const where = { seed: 1, load: 'generated', sloFactor: 2 } as const
    expect(worstDay(live(where, ADVERSARIES['too hot']!(core)), ruleIn(where))).toBeGreaterThan(10 * BUDGET)
  })
})

describe('what it costs', () => {
  it.each(['largest', 'random', 'flapping', 'many tiny pods'])(
    'at most 1.25 of the rule, whoever asks for more: %s',
    (name) => {
      inWorlds(2, (where) => {
        const rule = ruleIn(where)
        if (rule.record.worstHourPercent > 50) return // killed over and over it saves money
        expect(live(where, guard(ADVERSARIES[name]!(core))).dollars / rule.dollars).toBeLessThan(1.32)
      })
    },
  )

  it('next to nothing for an allocator that keeps the SLO, at .7 and .8 of the rule’s cost', () => {
    for (const [seed, target] of [
      [2, 0.3],
      [3, 0.4],
      [5, 0.4],
    ] as const) {
      const where = { seed, load: 'generated', sloFactor: 3 } as const
      const free = live(where, new ResizeRule(target))
      const guarded = guard(new ResizeRule(target))
      const kept = live(where, guarded)
      expect(free.dollars / ruleIn(where).dollars).toBeLessThan(0.85)
      expect(kept.dollars / free.dollars).toBeLessThan(1.03)
      expect(kept.record.violationPercent).toBeLessThanOrEqual(free.record.violationPercent)
    }
  })
})
