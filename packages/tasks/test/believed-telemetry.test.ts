// A rule stands in where the guard has distrusted what was measured: it must not act upon the very same numbers.
import { type Controller, type Core, createCore, type Environment, type StepInfo } from '@trimtab/core'
import { Guard, rulePilot } from '@trimtab/learn'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  Aimd,
  AutoscalingEnvironment,
  DEFAULT_BOUNDS,
  generateApplication,
  generateLoad,
  HpaVpa,
} from '../src/autoscaling/index.js'
import { AimdRate, CongestionEnvironment, DelayRule, generateNetwork } from '../src/congestion-control/index.js'
import { FREQUENCY_OBSERVATION, OverclockingRule } from '../src/cpu-frequency/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const HOUR = 3_600_000
const clock = { now: () => 10 * HOUR }

/** Who acts upon an observation that was handed to the guard, and with what. */
function decide(world: Environment, rule: Controller, seen: Float32Array, observedAtMs: number) {
  const guard = new Guard(world, { maxAgeMs: 60_000 }, clock)
  const action = new Float32Array(world.action.names.length)
  guard.receive(seen, observedAtMs)
  return { source: guard.decide(rulePilot(rule), seen, action), fallback: guard.fallback, action }
}

const views = ['relative', 'absolute', 'logarithmic'] as const
const autoscaling = (view: (typeof views)[number]) =>
  new AutoscalingEnvironment(core, generateApplication(core, 3), generateLoad(core, 3), { view })

const heuristics: [string, (world: AutoscalingEnvironment) => Controller][] = [
  ['HPA+VPA', (world) => new HpaVpa(core, world, DEFAULT_BOUNDS, { podCores: 2, targetPercent: 50 })],
  ['AIMD', (world) => new Aimd(world)],
]

describe.each(heuristics)('%s', (_name, make) => {
  it.each(views)('acts on what is believed and holds on what is not (%s view)', (view) => {
    const world = autoscaling(view)
    const rule = make(world)
    const seen = world.reset(1)
    expect(decide(world, rule, seen, clock.now()).source).toBe('rule')
    expect(decide(world, rule, seen, 9 * HOUR)).toMatchObject({ source: 'hold', fallback: 'stale' })
    const nothing = new Float32Array(seen.length).fill(Number.NaN)
    expect(decide(world, rule, nothing, clock.now())).toMatchObject({ source: 'hold', fallback: 'missing' })
    world.dispose()
  })
})

describe('a single reading that is not believed', () => {
  const blank = (seen: Float32Array, name: string, names: readonly string[]): Float32Array => {
    const blanked = seen.slice()
    blanked[names.indexOf(name)] = Number.NaN
    return blanked
  }

  it('stops the rule that reads it, and no other: HPA+VPA does not look at latency, AIMD does', () => {
    const world = autoscaling('relative')
    const { names } = world.observation
    const seen = world.reset(1)
    const withoutLatency = blank(seen, 'logSloOverP99', names)
    const withoutCpu = blank(seen, 'cpuUtilisation', names)
    const [hpa, aimd] = heuristics.map(([, make]) => make(world))
    expect(decide(world, hpa!, withoutLatency, clock.now()).source).toBe('rule')
    expect(decide(world, aimd!, withoutLatency, clock.now()).source).toBe('hold')
    expect(decide(world, hpa!, withoutCpu, clock.now()).source).toBe('hold')
    world.dispose()
  })

  it('is blamed itself where it shows that it was not measured, not what stands beside it in the observation', () => {
    const world = autoscaling('relative')
    const rule = heuristics[0]![1](world)
    const seen = world.reset(1)
    world.telemetry.p99Ms = Number.NaN
    expect(decide(world, rule, blank(seen, 'recentViolations', world.observation.names), clock.now()).source).toBe(
      'rule',
    )
    world.telemetry.usedCores = Number.NaN
    expect(decide(world, rule, blank(seen, 'cpuUtilisation', world.observation.names), clock.now()).source).toBe('hold')
    world.dispose()
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('stops a rule whose metric reads %s', (value) => {
    const world = autoscaling('relative')
    const rule = heuristics[0]![1](world)
    const seen = world.reset(1)
    world.telemetry.usedCores = value
    expect(decide(world, rule, seen, clock.now()).source).toBe('hold')
    world.dispose()
  })

  it('leaves no trace in the view: one missing rate does not blind it for ever', () => {
    const world = autoscaling('relative')
    world.reset(1)
    world.view.update({ ...world.telemetry, ratePerSecond: Number.NaN })
    world.view.update(world.telemetry)
    world.view.update(world.telemetry)
    const seen = new Float32Array(world.observation.names.length)
    world.view.observe(seen)
    expect(seen.every(Number.isFinite)).toBe(true)
    world.dispose()
  })
})

describe.each([
  ['the delay rule', (world: CongestionEnvironment) => new DelayRule(world)],
  ['AIMD on a rate', (world: CongestionEnvironment) => new AimdRate(world)],
])('%s', (_name, make) => {
  it('holds when the last interval is not believed', () => {
    const world = new CongestionEnvironment(core, generateNetwork(core, 1))
    const seen = world.reset(1)
    const info: StepInfo = world.step(new Float32Array(1)).info
    expect(Number.isFinite(info.latency)).toBe(true)
    expect(decide(world, make(world), seen, clock.now()).source).toBe('rule')
    expect(decide(world, make(world), seen, 9 * HOUR).source).toBe('hold')
    world.dispose()
  })
})

it('overclocking goes to nominal when nothing is believed: there the safe state is known without any metric', () => {
  const out = new Float32Array(1).fill(7)
  const rule = new OverclockingRule(core.math, 1.3)
  rule.decide(new Float32Array(FREQUENCY_OBSERVATION.names.length).fill(Number.NaN), out)
  expect(out[0]).toBe(0)
})
