import { type Core, createCore, type FormatError } from '@trimtab/core'
import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type Allocation,
  AutoscalingEnvironment,
  type AutoscalingInfo,
  type AutoscalingOptions,
  ClusterSimulator,
  generateApplication,
  generateLoad,
  type LoadSeries,
} from '../../src/autoscaling/index.js'
import { appOf, createFlat, flatLoad, numbersOf, wander } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const open: { dispose(): void }[] = []
const keep = <T extends { dispose(): void }>(owned: T): T => {
  open.push(owned)
  return owned
}
afterEach(() => {
  for (const owned of open.splice(0)) owned.dispose()
})

const simulate = (load: LoadSeries): ClusterSimulator =>
  keep(new ClusterSimulator(core, appOf(['json', 'file-read']), load))
const ample: Allocation = { coresPerReplica: 2, memoryMiBPerReplica: 3072, replicas: 4 }

describe('determinism', () => {
  const run = (seed: number, options: AutoscalingOptions): number[][] => {
    const environment = keep(
      new AutoscalingEnvironment(core, generateApplication(core, 5), generateLoad(core, 5, 2), options),
    )
    const told = [[...environment.reset(seed)]]
    for (let i = 0; i < 100; i++) told.push(numbersOf(environment.step(wander(i))))
    return told
  }

  it.each(['relative', 'absolute', 'logarithmic'] as const)('the same seed tells the same story (%s view)', (view) => {
    expect(run(3, { view })).toEqual(run(3, { view }))
    expect(run(3, { view })).not.toEqual(run(4, { view }))
  })

  it.each(['relative', 'absolute', 'logarithmic'] as const)(
    'a saved moment continues to the byte elsewhere (%s view)',
    (view) => {
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 0, max: 60 }), (seed, steps) => {
          const first = createFlat(core, 0.4, { view })
          const second = createFlat(core, 0.4, { view })
          first.reset(seed)
          for (let i = 0; i < steps; i++) first.step(wander(i))
          second.reset(seed + 1)
          second.load(first.save())
          expect(second.save()).toEqual(first.save())
          for (let i = steps; i < steps + 15; i++) {
            expect(numbersOf(second.step(wander(i)))).toEqual(numbersOf(first.step(wander(i))))
          }
          expect(second.save()).toEqual(first.save())
          first.dispose()
          second.dispose()
        }),
        { numRuns: 20 },
      )
    },
  )

  it('reads a state from a Node Buffer, which shares its memory with others', () => {
    const environment = keep(createFlat(core))
    environment.reset(1)
    for (let i = 0; i < 5; i++) environment.step(wander(i))
    const state = environment.save()
    const next = numbersOf(environment.step(wander(5)))
    environment.load(Buffer.from(state))
    expect(numbersOf(environment.step(wander(5)))).toEqual(next)
  })

  it('refuses a state that is cut anywhere, changing nothing', () => {
    const environment = keep(createFlat(core))
    environment.reset(1)
    for (let i = 0; i < 5; i++) environment.step(wander(i))
    const state = environment.save()
    for (let length = 0; length < state.length; length++) {
      expect(() => environment.load(state.slice(0, length))).toThrow(
        expect.objectContaining<Partial<FormatError>>({ code: 'simulator_state_invalid' }),
      )
    }
    expect(environment.save()).toEqual(state)
  })
})

describe('the simulated cluster', () => {
  it('takes time to start replicas: a step later none serves, three steps later all do', () => {
    const simulator = simulate(flatLoad(0.3))
    simulator.reset(600, 1)
    const { replicas } = simulator.allocation
    simulator.step({ ...ample, replicas: replicas + 5 })
    expect(simulator.telemetry).toMatchObject({ readyReplicas: replicas, startingReplicas: 5 })
    simulator.step({ ...ample, replicas: replicas + 5 })
    expect(simulator.telemetry.readyReplicas).toBeLessThan(replicas + 5) // most of 20 s ± 15 % are longer than a step
    simulator.step({ ...ample, replicas: replicas + 5 })
    expect(simulator.telemetry).toMatchObject({ readyReplicas: replicas + 5, startingReplicas: 0 })
  })

  it('pays for replicas that are still starting', () => {
    const simulator = simulate(flatLoad(0.3))
    simulator.reset(600, 1)
    simulator.step({ ...ample, replicas: 20 })
    expect(simulator.truth.requestedCores).toBe(40)
  })

  it('takes starting replicas first when it scales in', () => {
    const simulator = simulate(flatLoad(0.3))
    simulator.reset(600, 1)
    const { replicas } = simulator.allocation
    simulator.step({ ...ample, replicas: replicas + 5 })
    simulator.step({ ...ample, replicas })
    expect(simulator.telemetry).toMatchObject({ readyReplicas: replicas, startingReplicas: 0 })
  })

  it('kills for memory: a violation, however fast the rest was, and the restart is in the p99', () => {
    const simulator = simulate(flatLoad(0.3))
    simulator.reset(600, 1)
    const state = simulator.save()
    simulator.step(ample)
    const without = simulator.truth.p99Ms
    expect(simulator.truth.violated).toBe(false)
    simulator.load(state)
    simulator.step({ ...ample, memoryMiBPerReplica: 150 }) // less than an idle replica needs
    expect(simulator.telemetry.oomKills).toBe(simulator.telemetry.readyReplicas)
    expect(simulator.truth.violated).toBe(true)
    expect(simulator.truth.p99Ms).toBeGreaterThanOrEqual(without + 1000 * simulator.options.restartSeconds)
  })

  it('piles up what it cannot serve, gives up what waits longer than the timeout, and recovers', () => {
    const light = { ...appOf(['json', 'file-read'], 8), requestMemoryMiB: 0.01 } // what waits needs no memory: no kills
    const simulator = keep(new ClusterSimulator(core, light, flatLoad(0.5)))
    simulator.reset(600, 1)
    const starved = { coresPerReplica: 0.5, memoryMiBPerReplica: 3072, replicas: 1 }
    for (let i = 0; i < 5; i++) simulator.step(starved)
    expect(simulator.telemetry.droppedRequests).toBeGreaterThan(0)
    expect(simulator.truth.p99Ms).toBe(10_000)
    for (let i = 0; i < 8; i++) simulator.step({ ...ample, replicas: 10 })
    expect(simulator.telemetry.droppedRequests).toBe(0)
    expect(simulator.truth.violated).toBe(false)
  })

  it('measures p99 around the true one: sampled, not shifted', () => {
    const simulator = simulate(flatLoad(0.3))
    simulator.reset(600, 1)
    const ratios = Array.from({ length: 400 }, () => {
      simulator.step(ample)
      return simulator.telemetry.p99Ms / simulator.truth.p99Ms
    })
    const mean = ratios.reduce((a, b) => a + b, 0) / ratios.length
    expect(Math.abs(mean - 1)).toBeLessThan(0.02)
    expect(Math.max(...ratios)).toBeGreaterThan(1.005)
    expect(Math.min(...ratios)).toBeLessThan(0.995)
  })

  it('refuses a cluster that cannot be, with every problem at once', () => {
    const bounds = { cores: [4, 1], memoryMiB: [0, 10], replicas: [1, 20] } as const
    const make = () =>
      new ClusterSimulator(core, appOf(['json']), flatLoad(0.3), {
        sloFactor: 0,
        restartSeconds: 15,
        stepSeconds: 15,
        bounds,
      })
    expect(make).toThrow(/sloFactor.*got 0.*restartSeconds.*got 15.*cores.*4 … 1.*memoryMiB.*0 … 10/)
  })
})

describe('more is never worse', () => {
  const allocation = fc.record({
    coresPerReplica: fc.double({ min: 0.125, max: 4, noNaN: true }),
    memoryMiBPerReplica: fc.double({ min: 128, max: 3072, noNaN: true }),
    replicas: fc.integer({ min: 1, max: 20 }),
  })
  /** A simulator after some life under `history`, and what a last step under `a` and under `b` comes to from there. */
  const fork = (seed: number, history: readonly Allocation[], a: Allocation, b: Allocation) => {
    const simulator = new ClusterSimulator(core, generateApplication(core, seed % 50), generateLoad(core, seed % 7, 1))
    simulator.reset(3600, seed)
    for (const past of history) simulator.step(past)
    const state = simulator.save()
    const told = [a, b].map((wanted) => {
      simulator.load(state)
      simulator.step(wanted)
      return { p99Ms: simulator.truth.p99Ms, kills: simulator.telemetry.oomKills, sloMs: simulator.sloMs }
    })
    simulator.dispose()
    return told as [(typeof told)[0], (typeof told)[0]]
  }
  const history = fc.array(allocation, { maxLength: 3 })
  const seeds = fc.integer({ min: 0, max: 1000 })

  it('cores and replicas never raise the true p99 of the same load', () => {
    fc.assert(
      fc.property(seeds, history, allocation, allocation, (seed, past, a, b) => {
        const more = {
          coresPerReplica: Math.max(a.coresPerReplica, b.coresPerReplica),
          memoryMiBPerReplica: a.memoryMiBPerReplica,
          replicas: Math.max(a.replicas, b.replicas),
        }
        const [less, better] = fork(seed, past, a, more)
        expect(better.p99Ms).toBeLessThanOrEqual(less.p99Ms * (1 + 1e-9))
      }),
      { numRuns: 300 },
    )
  })

  it('memory never adds kills', () => {
    fc.assert(
      fc.property(seeds, history, allocation, fc.double({ min: 1, max: 4, noNaN: true }), (seed, past, a, factor) => {
        const [less, better] = fork(seed, past, a, { ...a, memoryMiBPerReplica: a.memoryMiBPerReplica * factor })
        expect(better.kills).toBeLessThanOrEqual(less.kills)
      }),
      { numRuns: 300 },
    )
  })
})

describe('the environment', () => {
  it('pays between 0 and 2 a step, whatever is done', () => {
    const number = fc.oneof(fc.double({ min: -1, max: 1, noNaN: true }), fc.constantFrom(-1e9, 1e9))
    const actions = fc.array(fc.tuple(number, number, number), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), actions, (seed, list) => {
        const environment = createFlat(core, 0.4)
        environment.reset(seed)
        for (const action of list) {
          const { reward, info, observation } = environment.step(Float32Array.from(action))
          expect(observation.every(Number.isFinite)).toBe(true)
          for (const paid of [reward, (info as AutoscalingInfo).trueReward]) {
            expect(paid).toBeGreaterThanOrEqual(0)
            expect(paid).toBeLessThanOrEqual(2)
          }
        }
        environment.dispose()
      }),
      { numRuns: 100 },
    )
  })

  it.each([
    ['too few numbers', [0, 0], 'size_mismatch'],
    ['a NaN', [0, Number.NaN, 0], 'not_finite'],
    ['an infinity', [0, 0, Number.POSITIVE_INFINITY], 'not_finite'],
  ])('refuses an action with %s, changing nothing', (_name, action, code) => {
    const environment = keep(createFlat(core))
    environment.reset(1)
    const before = environment.save()
    expect(() => environment.step(Float32Array.from(action))).toThrow(expect.objectContaining({ code }))
    expect(environment.save()).toEqual(before)
  })

  it('takes the penalty off in exactly the steps whose measured p99 broke the SLO or that had kills', () => {
    const plain = keep(createFlat(core, 0.5))
    const priced = keep(createFlat(core, 0.5, { violationPenalty: 2 }))
    plain.reset(1)
    priced.reset(1)
    let violations = 0
    for (let i = 0; i < 100; i++) {
      const { reward, info } = plain.step(wander(i))
      violations += info.measuredViolation!
      expect(priced.step(wander(i)).reward).toBeCloseTo(reward - 2 * info.measuredViolation!, 12)
    }
    expect(violations).toBeGreaterThan(0)
    expect(violations).toBeLessThan(100)
  })

  it.each(['relative', 'absolute', 'logarithmic'] as const)(
    'lives without traffic: no p99, yet all numbers are finite (%s view)',
    (view) => {
      const environment = keep(createFlat(core, 0, { view }))
      environment.reset(1)
      for (let i = 0; i < 20; i++) {
        const { observation, reward, info } = environment.step(wander(i))
        expect(environment.telemetry).toMatchObject({ requests: 0, p99Ms: Number.NaN, usedCores: 0 })
        expect([...observation, reward, ...Object.values(info)].every(Number.isFinite)).toBe(true)
      }
    },
  )

  it('cuts an episode after its steps and starts in its part of the load', () => {
    const environment = keep(createFlat(core, 0.5, { stepsPerEpisode: 7, part: [0.5, 0.6] }))
    const seconds = environment.simulator.series.shape.length * 60
    for (let seed = 0; seed < 50; seed++) {
      environment.reset(seed)
      expect(environment.telemetry.timeSeconds).toBeGreaterThanOrEqual(0.5 * seconds)
      const ends = Array.from({ length: 7 }, () => environment.step(wander(1)).truncated)
      expect(ends).toEqual([false, false, false, false, false, false, true])
      expect(environment.telemetry.timeSeconds).toBeLessThanOrEqual(0.6 * seconds)
    }
  })
})

describe('hindsight', () => {
  const quiet: AutoscalingOptions = { cluster: { sensorNoise: 0 }, violationPenalty: 2 }

  /** Steps on, and what is imagined after each beside what was real. */
  const live = (environment: AutoscalingEnvironment, memory: (action: Float32Array) => number) => {
    let before = environment.reset(2)
    return Array.from({ length: 60 }, (_, i) => {
      const action = wander(i)
      const step = environment.step(action)
      const real = {
        observation: before,
        action,
        reward: step.reward,
        nextObservation: step.observation,
        terminated: false,
      }
      before = step.observation
      const state = environment.save()
      const imagined = environment.hindsight(action, memory(action))
      expect(environment.save()).toEqual(state) // imagining leaves no trace
      return { real, imagined, telemetry: { ...environment.telemetry }, killed: environment.telemetry.oomKills > 0 }
    })
  }

  it('of the limit that was really used is the real transition', () => {
    const steps = live(keep(createFlat(core, 0.5, quiet)), (action) => action[1]!)
    for (const { real, imagined } of steps) {
      expect(imagined!.observation).toEqual(real.observation)
      expect(imagined!.action).toEqual(real.action)
      expect(imagined!.reward).toBeCloseTo(real.reward, 12)
      for (const [i, value] of imagined!.nextObservation.entries())
        expect(value).toBeCloseTo(real.nextObservation[i]!, 5)
    }
    expect(new Set(steps.map((s) => s.killed))).toEqual(new Set([true, false]))
  })

  it('of a limit that held invents no kill when the sensor reads above it', () => {
    const environment = keep(createFlat(core, 0.3, quiet))
    environment.reset(2)
    const roomy = Float32Array.of(1, 0.5, -1)
    expect(environment.step(roomy).info.measuredViolation).toBe(0)
    environment.telemetry.usedMemoryMiB = 1.02 * environment.telemetry.memoryMiBPerReplica
    expect(environment.hindsight(roomy, 0.5)!.reward).toBeGreaterThan(0)
  })

  it('of a limit below the use is a violation; of a wide one, none that memory causes', () => {
    const environment = keep(createFlat(core, 0.3, quiet))
    environment.reset(2)
    const generous = Float32Array.of(1, 1, -1)
    for (let i = 0; i < 10; i++) environment.step(generous)
    const step = environment.step(generous)
    expect(step.info.measuredViolation).toBe(0)
    // The lowest limit is the largest recent use itself: imagine the use to have grown past it.
    environment.telemetry.usedMemoryMiB *= 1.5
    const tight = environment.hindsight(generous, -1)!
    expect(tight.reward).toBeLessThan(0) // the penalty of 2
    expect(tight.nextObservation[11]).toBeGreaterThan(step.observation[11]!) // recentViolations
    expect(environment.hindsight(generous, 1)!.reward).toBeGreaterThan(0)
  })

  it('has no answer above a limit that killed, and one below it', () => {
    const environment = keep(createFlat(core, 0.5, quiet))
    environment.reset(2)
    const kills = Array.from({ length: 60 }, (_, i) => {
      const action = wander(i)
      environment.step(action)
      const above = environment.hindsight(action, Math.min(1, action[1]! + 0.2))
      const below = environment.hindsight(action, Math.max(-1, action[1]! - 0.2))
      if (environment.telemetry.oomKills === 0 || environment.telemetry.memoryMiBPerReplica === 3072) return false
      expect(above).toBeUndefined()
      expect(below!.reward).toBeLessThan(0.6)
      return true
    })
    expect(kills).toContain(true)
  })
})
