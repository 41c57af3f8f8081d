import { type Core, createCore, type ParallelStep, Random } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  PAPER_GLOBALS,
  SERVERLESS_PRESETS,
  ServerlessEnvironment,
  type ServerlessPreset,
  type ServerlessPresetName,
  type TenantAllocation,
  TenantController,
  type TenantRule,
  type TenantTelemetry,
  tenantValue,
} from '../../src/serverless/index.js'
import { busySpec, paperFunction, sameForAll, steadySpec } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

/** Those that need no adviser. */
const NAMES = (Object.keys(SERVERLESS_PRESETS) as ServerlessPresetName[]).filter((name) => name !== 'corrected')
const N = 12

function drawActions({ action, agents }: ServerlessEnvironment, random: Random): Float32Array {
  const { low, high, kind, names } = action
  return Float32Array.from({ length: agents * names.length }, (_, i) => {
    const [least, most] = [low[i % names.length]!, high[i % names.length]!]
    return kind === 'discrete' ? random.integer(most + 1) : least + (most - least) * random.uniform()
  })
}

const copyOf = (step: ParallelStep): ParallelStep => structuredClone(step)

function play(environment: ServerlessEnvironment, random: Random, steps: number): ParallelStep[] {
  return Array.from({ length: steps }, () => copyOf(environment.step(drawActions(environment, random))))
}

describe.each(NAMES)('%s', (name) => {
  const preset = SERVERLESS_PRESETS[name]

  it('tells finite numbers within its spaces, and ends after the steps of the spec', () => {
    const environment = new ServerlessEnvironment(core, busySpec(core, 1, N), preset)
    const random = new Random(core, 1)
    environment.reset(1)
    for (const [i, step] of play(environment, random, 50).entries()) {
      const { low, high } = environment.observation
      const isTold = (x: number, at: number): boolean => x >= low[at % low.length]! && x <= high[at % low.length]!
      for (let agent = 0; agent < N; agent++) {
        const seen = step.observations.subarray(agent * low.length, (agent + 1) * low.length)
        expect(step.info.present![agent] === 1 ? seen.every(isTold) : seen.every(Number.isNaN)).toBe(true)
      }
      expect(step.globals).toHaveLength(N * environment.global.names.length)
      for (const numbers of [step.globals, step.rewards, ...Object.values(step.info)])
        expect(numbers.every(Number.isFinite)).toBe(true)
      expect(step.truncated).toBe(i === 49)
    }
    random.dispose()
    environment.dispose()
  })

  it('tells the same story for the same seed, another for another', () => {
    const environment = new ServerlessEnvironment(core, busySpec(core, 1, N), preset)
    const random = new Random(core, 2)
    const state = random.save()
    const story = (seed: number): ParallelStep[] => {
      random.load(state)
      return [copyOf(environment.reset(seed)), ...play(environment, random, 20)]
    }
    const first = story(1)
    expect(story(2)).not.toEqual(first)
    expect(story(1)).toEqual(first)
    random.dispose()
    environment.dispose()
  })

  it('continues from a saved moment elsewhere, to the byte', () => {
    const spec = busySpec(core, 3, N)
    const [here, there] = [new ServerlessEnvironment(core, spec, preset), new ServerlessEnvironment(core, spec, preset)]
    const random = new Random(core, 2)
    for (const steps of [0, 1, 11]) {
      here.reset(4)
      play(here, random, steps)
      there.reset(99)
      there.load(here.save())
      const state = random.save()
      const first = play(here, random, 15)
      random.load(state)
      expect(play(there, random, 15)).toEqual(first)
      expect(there.save()).toEqual(here.save())
    }
    const state = here.save()
    for (const cut of [0, 7, 8, 100, state.length - 8]) {
      expect(() => here.load(state.slice(0, cut))).toThrow(expect.objectContaining({ code: 'simulator_state_invalid' }))
    }
    expect(here.save()).toEqual(state)
    random.dispose()
    here.dispose()
    there.dispose()
  })

  it('refuses actions that are none, changing nothing', () => {
    const environment = new ServerlessEnvironment(core, busySpec(core, 1, N), preset)
    environment.reset(1)
    const before = environment.save()
    const size = environment.action.names.length
    const bad = [new Float32Array(N * size + 1), new Float32Array(N * size).fill(Number.NaN)]
    if (environment.action.kind === 'discrete')
      for (const x of [-1, 0.5, 99]) bad.push(new Float32Array(N * size).fill(x, N * size - 1))
    for (const actions of bad)
      expect(() => environment.step(actions)).toThrow(expect.objectContaining({ name: 'ConfigError' }))
    expect(environment.save()).toEqual(before)
    environment.dispose()
  })
})

describe('what critics see of the others', () => {
  it('is the mean, or the sum, and the deviation over the others alone, as a list of them would give it', () => {
    const environment = new ServerlessEnvironment(core, busySpec(core, 3, N), SERVERLESS_PRESETS['simppo-full'])
    const random = new Random(core, 2)
    environment.reset(1)
    for (let step = 0; step < 25; step++) {
      const { globals } = environment.step(drawActions(environment, random))
      const there = environment.views.filter((_, i) => environment.platform.isPresent(i))
      for (const [i, view] of environment.views.entries()) {
        const others = there.filter((one) => one !== view)
        for (const [k, { of, isSum }] of PAPER_GLOBALS.entries()) {
          const numbers = others.map((one) => of(one, environment.scale))
          const mean = numbers.reduce((a, b) => a + b, 0) / numbers.length
          const deviation = Math.sqrt(numbers.reduce((a, b) => a + (b - mean) ** 2, 0) / numbers.length)
          const factor = isSum ? others.length : 1
          const expected = environment.platform.isPresent(i) ? [factor * mean, factor * deviation] : [0, 0]
          const seen = [globals[i * 12 + k]!, globals[i * 12 + 6 + k]!]
          for (const which of [0, 1]) expect(Math.abs(seen[which]! - expected[which]!)).toBeLessThan(1e-5) // f32
        }
      }
    }
    random.dispose()
    environment.dispose()
  })

  it('has the printed sizes: 12 with deviations, 4 for the compact critic of 4,993 parameters, and nothing alone', () => {
    const sizes = (['s-rl', 'simppo-full', 'simppo-compact', 'simppo-all'] as const).map((name) => {
      const environment = new ServerlessEnvironment(
        core,
        steadySpec([paperFunction('primes')], 1),
        SERVERLESS_PRESETS[name],
      )
      expect(environment.reset(1).globals.every((x) => x === 0)).toBe(true)
      environment.dispose()
      return [environment.observation.names.length, environment.global.names.length]
    })
    expect(sizes).toEqual([
      [7, 0],
      [7, 12],
      [7, 4],
      [7, 7],
    ])
  })
})

describe('printed actions', () => {
  const world = (preset: ServerlessPreset = SERVERLESS_PRESETS['s-rl']): ServerlessEnvironment =>
    new ServerlessEnvironment(core, steadySpec([paperFunction('primes')], 1), preset)
  const [NOTHING, OUT, IN, UP, DOWN] = [0, 1, 2, 3, 4]

  it('move one container or 128 shares', () => {
    const environment = world()
    environment.reset(1)
    const before = { ...environment.platform.telemetry[0]! }
    const moved = [NOTHING, OUT, UP, OUT, DOWN, IN, UP].map((action) => {
      environment.step(Float32Array.of(action!))
      const { containers, shares } = environment.platform.telemetry[0]!
      return [containers - before.containers, shares - before.shares]
    })
    expect(moved).toEqual([
      [0, 0],
      [1, 0],
      [1, 128],
      [2, 128],
      [2, 0],
      [1, 0],
      [1, 128],
    ])
    environment.dispose()
  })

  it('cost a penalty when they cannot be carried out, and when they take back the last one', () => {
    const environment = world()
    environment.reset(1)
    const punished = (action: number): boolean => {
      const { rewards } = environment.step(Float32Array.of(action))
      const value = tenantValue(environment.platform.telemetry[0]!)
      expect([0, 1]).toContain(Math.round((value - rewards[0]!) * 1e5) / 1e5)
      return rewards[0]! < value - 0.5
    }
    expect([NOTHING, OUT, IN, IN, UP, DOWN, UP, OUT].map((action) => punished(action!))).toEqual([
      ...[false, false, true, false],
      ...[false, true, true, false],
    ])
    for (let i = 0; i < 20; i++) environment.step(Float32Array.of(UP!))
    expect(environment.platform.telemetry[0]!.shares).toBeGreaterThan(2048 - 128)
    expect(punished(UP!)).toBe(true)
    environment.dispose()
  })

  it('cost the whole reward where the penalty replaces it', () => {
    const preset = SERVERLESS_PRESETS['s-rl']
    const environment = world({
      ...preset,
      reward: { ...preset.reward, penalty: { amount: -1, how: 'replacing' } },
    })
    environment.reset(1)
    environment.step(Float32Array.of(OUT!))
    expect(environment.step(Float32Array.of(IN!)).rewards[0]).toBe(-1)
    environment.dispose()
  })
})

describe('rewards', () => {
  it('of a team are the mean of its own ones', () => {
    const spec = { ...busySpec(core, 3, N), events: [] }
    const [own, team] = (['s-rl', 'il-rl'] as const).map(
      (name) => new ServerlessEnvironment(core, spec, SERVERLESS_PRESETS[name]),
    ) as [ServerlessEnvironment, ServerlessEnvironment]
    const random = new Random(core, 2)
    own.reset(1)
    team.reset(1)
    for (let step = 0; step < 10; step++) {
      const actions = drawActions(own, random)
      const mean = own.step(actions).rewards.reduce((a, b) => a + b, 0) / N
      for (const reward of team.step(actions).rewards) expect(reward).toBeCloseTo(mean, 5)
    }
    random.dispose()
    own.dispose()
    team.dispose()
  })

  it('priced take .3 for a violation and .1 for each core of shares', () => {
    const environment = new ServerlessEnvironment(core, busySpec(core, 3, N), SERVERLESS_PRESETS.priced)
    const random = new Random(core, 2)
    environment.reset(1)
    let violations = 0
    for (const { rewards, info } of play(environment, random, 20)) {
      for (let i = 0; i < N; i++) {
        const expected = info.value![i]! - 0.3 * info.violation![i]! - 0.1 * info.heldCores![i]!
        expect(rewards[i]).toBeCloseTo(info.present![i]! * expected, 5)
        violations += info.violation![i]!
      }
    }
    expect(violations).toBeGreaterThan(0)
    random.dispose()
    environment.dispose()
  })
})

it('lets only as many act as the preset says, those of the lowest SP first', () => {
  const preset = { ...SERVERLESS_PRESETS['cpq-rl'], actors: 3 }
  const environment = new ServerlessEnvironment(core, { ...busySpec(core, 3, N), events: [] }, preset)
  environment.reset(1)
  for (let step = 0; step < 5; step++) {
    const before = environment.platform.telemetry.map((t) => ({ ...t }))
    const lowest = [...before.keys()].toSorted((a, b) => sp(before[a]!) - sp(before[b]!)).slice(0, 3)
    environment.step(new Float32Array(N).fill(1)) // one container more
    const moved = [...before.keys()].filter(
      (i) => environment.platform.telemetry[i]!.containers > before[i]!.containers,
    )
    expect(moved).toEqual(lowest.toSorted((a, b) => a - b))
  }
  environment.dispose()
})
const sp = ({ p99Ms, sloMs }: { p99Ms: number; sloMs: number }): number => (p99Ms > sloMs ? sloMs / p99Ms : 1)

it.each(['priced', 'priced-keep-alive', 'priced-continuous'] as const)(
  '%s: an allocation survives the way to an action and back',
  (name) => {
    const environment = new ServerlessEnvironment(
      core,
      { ...busySpec(core, 3, N), events: [] },
      SERVERLESS_PRESETS[name],
    )
    environment.reset(1)
    const actions = new Float32Array(N * environment.action.names.length)
    const random = new Random(core, 2)
    for (let step = 0; step < 10; step++) {
      environment.step(drawActions(environment, random))
      for (const [i, view] of environment.views.entries()) {
        const headroom = 1 + 0.5 * random.integer(5)
        const wanted = {
          containers: Math.max(0, Math.ceil(view.largestDemand + headroom * Math.sqrt(view.largestDemand) - 1e-9)),
          shares: 128 * 2 ** random.integer(5),
          keepAliveSeconds: name === 'priced-keep-alive' ? [0, 30, 120, 600, 2400][random.integer(5)]! : 60,
        }
        const out = { containers: 0, shares: 0, keepAliveSeconds: 0 }
        const at = i * environment.action.names.length
        environment.preset.action.closest(wanted, view, environment.scale, actions, at)
        environment.preset.action.apply(actions, at, view, environment.scale, out)
        expect(out.containers).toBe(wanted.containers)
        expect(out.shares).toBeCloseTo(wanted.shares, 3)
        expect(out.keepAliveSeconds).toBe(wanted.keepAliveSeconds)
      }
    }
    random.dispose()
    environment.dispose()
  },
)

it('allocates what rules ask for exactly', () => {
  const environment = new ServerlessEnvironment(
    core,
    { ...busySpec(core, 3, N), events: [] },
    SERVERLESS_PRESETS.priced,
  )
  environment.reset(1)
  environment.allocate(sameForAll(environment.platform, { containers: 3, shares: 777, keepAliveSeconds: 5 }))
  for (const t of environment.platform.telemetry) {
    expect([t.containers, t.shares, t.keepAliveSeconds]).toEqual([3, 777, 5])
  }
  environment.dispose()
})

describe('a rule for each tenant', () => {
  /** Doubles what is there; remembers how often it was asked and how often it began. */
  class Doubling implements TenantRule {
    readonly name = 'doubling'
    asked = 0
    begun = 0
    decide(t: Readonly<TenantTelemetry>, out: TenantAllocation): void {
      this.asked++
      out.containers = 2 * t.containers
      out.shares = t.shares
      out.keepAliveSeconds = t.keepAliveSeconds
    }
    beginEpisode(): void {
      this.begun++
    }
  }

  it('acts while its tenant is there, begins anew with it, and holds on what is not believed', () => {
    const environment = new ServerlessEnvironment(core, busySpec(core, 3, N), SERVERLESS_PRESETS['s-rl'])
    const rules = environment.views.map(() => new Doubling())
    const team = rules.map((rule, i) => new TenantController(environment, i, rule))
    const { names } = environment.observation
    const actions = new Float32Array(N)
    const decide = (observations: Float32Array): void => {
      for (const [i, one] of team.entries()) {
        one.decide(observations.subarray(i * names.length, (i + 1) * names.length), actions.subarray(i, i + 1))
      }
    }
    let { observations } = environment.reset(1)
    for (const one of team) one.beginEpisode()
    for (let step = 0; step < 30; step++) {
      decide(observations)
      for (let i = 0; i < N; i++) {
        const { containers } = environment.platform.telemetry[i]!
        if (environment.platform.isPresent(i))
          expect(actions[i]).toBe(containers > 0 ? 1 : 0) // one more, or nothing
        else expect(actions[i]).toBeNaN()
      }
      observations = environment.step(actions.map((action) => action || 0)).observations
    }
    // Tenant 0 is there before steps 1 to 5 and from step 21 on, tenant 1 from step 13 on.
    expect(rules.map(({ asked, begun }) => [asked, begun])).toEqual([
      [15, 2],
      [18, 1],
      ...new Array(N - 2).fill([30, 1]),
    ])
    const blank = observations.slice()
    blank[3 * names.length + 2] = Number.NaN
    decide(blank)
    expect([...actions].map(Number.isNaN)).toEqual(Array.from({ length: N }, (_, i) => i === 3))
    environment.dispose()
  })
})
