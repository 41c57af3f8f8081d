import { type Core, createCore } from '@trimtab/core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type Allocation,
  AutoscalingEnvironment,
  type ClusterOptions,
  ClusterSimulator,
  createLoad,
  createTelemetry,
  DEFAULT_BOUNDS,
  evaluateAutoscaling,
  generateApplication,
  generateLoad,
  HpaHeadroomRule,
  HpaVpa,
  HpaVpaRule,
  type LoadSeries,
  operate,
  ResizeRule,
  type ResizeSettings,
  RULE_FAMILIES,
  type Rule,
  type RuleCluster,
  ruleFamilies,
  type Telemetry,
} from '../../src/autoscaling/index.js'
import { appOf, flatLoad } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})
const open: { dispose(): void }[] = []
afterEach(() => {
  for (const owned of open.splice(0)) owned.dispose()
})

const IN_PLACE: RuleCluster = { bounds: DEFAULT_BOUNDS, resize: 'in-place', stepSeconds: 15 }
const simulate = (load: LoadSeries, options: Partial<ClusterOptions> = {}): ClusterSimulator => {
  const simulator = new ClusterSimulator(core, appOf(['json', 'file-read']), load, options)
  open.push(simulator)
  simulator.reset(0, 1)
  return simulator
}

/** What a replica set tells that serves `rate` requests of 20 ms of CPU each, in steps of 15 s. */
const telling = (rate: number, told: Partial<Telemetry> = {}): Telemetry => ({
  ...createTelemetry(),
  requests: 15 * rate,
  ratePerSecond: rate,
  usedCores: 0.02 * rate,
  usedMemoryMiB: 200,
  coresPerReplica: 2,
  memoryMiBPerReplica: 400,
  sloMs: 100,
  p99Ms: 50,
  ...told,
})

/** What the rule wants after a step, from what is in force. */
const ask = (rule: Rule, t: Telemetry): Allocation => {
  const out = {
    coresPerReplica: t.coresPerReplica,
    memoryMiBPerReplica: t.memoryMiBPerReplica,
    replicas: t.readyReplicas + t.startingReplicas,
  }
  rule.allocate(t, out)
  return out
}

describe('every rule', () => {
  it.each(RULE_FAMILIES.map((family) => [family.name, family] as const))(
    '%s tells its own name, has a grid of distinct settings, and does the same after a reset',
    (name, family) => {
      expect(new Set(family.settings.map((s) => JSON.stringify(s))).size).toBe(family.settings.length)
      expect(family.settings.length).toBeGreaterThanOrEqual(36)
      expect(family.settings.length).toBeLessThanOrEqual(150)
      const simulator = simulate(generateLoad(core, 3, 2))
      const rule = family.create(core, simulator.options, family.settings[20]!)
      expect(rule.name).toBe(name)
      const run = () => {
        simulator.reset(3600, 2)
        return operate(simulator, rule, { steps: 400 })
      }
      const first = run()
      rule.reset()
      expect(run()).toEqual(first)
      rule.dispose?.()
    },
  )

  it.each(RULE_FAMILIES.map((family) => [family.name, family] as const))(
    '%s decides from what it says it reads, and from nothing else',
    (_, family) => {
      const simulator = simulate(generateLoad(core, 3, 2))
      const [whole, partly] = [0, 0].map(() => family.create(core, simulator.options, family.settings[20]!))
      for (let i = 0; i < 400; i++) {
        const { telemetry } = simulator
        const visible = Object.fromEntries(
          Object.entries(telemetry).map(([key, value]) => [
            key,
            whole!.reads.includes(key as keyof Telemetry) ? value : Number.NaN,
          ]),
        ) as unknown as Telemetry
        const wanted = { ...simulator.allocation }
        const same = { ...simulator.allocation }
        whole!.allocate(telemetry, wanted)
        partly!.allocate(visible, same)
        expect(same).toEqual(wanted)
        simulator.step(wanted)
      }
      whole!.dispose?.()
      partly!.dispose?.()
    },
  )

  it('the resize rule is left out where pods keep their first size', () => {
    expect(ruleFamilies('in-place')).toEqual(RULE_FAMILIES)
    expect(ruleFamilies('restart')).toEqual(RULE_FAMILIES)
    expect(ruleFamilies('none').map(({ name }) => name)).not.toContain('resize')
  })
})

describe('HPA rules', () => {
  // Kubernetes: ceil(use / (request × target)) once it is off by more than 10 %.
  it.each([
    [0.5, 50],
    [1, 40],
    [2, 25],
  ])('hold as many pods of %d cores at %d percent as the formula says', (podCores, targetPercent) => {
    const simulator = simulate(flatLoad(0.75), { sensorNoise: 0 }) // 3 cores of work
    const rule = new HpaHeadroomRule(IN_PLACE, { podCores, targetPercent, headroom: 1.5 })
    operate(simulator, rule, { steps: 60 })
    const { replicas, cores } = operate(simulator, rule, { steps: 60 })
    const exact = 3 / (podCores * (targetPercent / 100))
    expect(replicas).toBeGreaterThanOrEqual(exact / 1.1)
    expect(replicas).toBeLessThanOrEqual(Math.ceil(exact * 1.1))
    expect(cores).toBeCloseTo(replicas * podCores, 9)
  })

  it('HPA+VPA standing where an agent can is the rule itself', () => {
    const world = new AutoscalingEnvironment(core, generateApplication(core, 8), generateLoad(core, 8, 3))
    open.push(world)
    const settings = { podCores: 1, targetPercent: 40 }
    const rule = new HpaVpaRule(core, { bounds: DEFAULT_BOUNDS }, settings)
    const out: Allocation = { coresPerReplica: 0, memoryMiBPerReplica: 0, replicas: 0 }
    const action = new Float32Array(3)
    const agent = new HpaVpa(core, world, DEFAULT_BOUNDS, settings)
    const expected = new Float32Array(3)
    let observation = world.reset(4)
    agent.beginEpisode()
    for (let i = 0; i < 100; i++) {
      const { coresPerReplica, memoryMiBPerReplica, readyReplicas, startingReplicas } = world.telemetry
      Object.assign(out, { coresPerReplica, memoryMiBPerReplica, replicas: readyReplicas + startingReplicas })
      rule.allocate(world.telemetry, out)
      world.view.toAction(out, expected)
      agent.decide(observation, action)
      expect(action).toEqual(expected)
      observation = world.step(action).observation
    }
  })

  it('HPA+VPA earns what it earned before its rule had a life of its own', () => {
    const world = new AutoscalingEnvironment(core, generateApplication(core, 8), generateLoad(core, 8, 3))
    open.push(world)
    const rule = new HpaVpa(core, world, DEFAULT_BOUNDS, { podCores: 1, targetPercent: 40 })
    expect(evaluateAutoscaling(world, rule, [1, 2, 3])).toMatchInlineSnapshot(`
      {
        "cpuUtilisation01": 0.35419037363794426,
        "measuredViolationPercent": 0,
        "memoryUtilisation01": 0.638351965960642,
        "p99OverSlo": 0.6804441374556773,
        "requestedCores": 5.18,
        "reward": 169.77627018795752,
        "violationPercent": 0,
      }
    `)
  })

  it('VPA acts on memory once it has days of history, and not before', () => {
    const simulator = simulate(flatLoad(0.5))
    const rule = new HpaVpaRule(core, simulator.options, { podCores: 2, targetPercent: 50 })
    const day = 86400 / 15
    simulator.step({ coresPerReplica: 2, memoryMiBPerReplica: 2000, replicas: 2 })
    operate(simulator, rule, { steps: 10 })
    expect(simulator.allocation.memoryMiBPerReplica).toBe(2000)
    operate(simulator, rule, { steps: 1.5 * day })
    const { memoryMiBPerReplica } = simulator.allocation
    // 15 % above the daily peaks' p90, but 250 MiB at least.
    expect(memoryMiBPerReplica).toBeGreaterThanOrEqual(250)
    expect(memoryMiBPerReplica).toBeLessThan(500)
  })

  it('a kill raises the memory at once above what was not enough', () => {
    const rules: Rule[] = [
      new HpaVpaRule(core, IN_PLACE, { podCores: 1, targetPercent: 50 }),
      new HpaHeadroomRule(IN_PLACE, { podCores: 1, targetPercent: 50, headroom: 1.5 }),
      resize(),
    ]
    for (const rule of rules) {
      for (let i = 0; i < 5; i++) ask(rule, telling(50, { timeSeconds: 15 * i }))
      const killed = telling(50, { timeSeconds: 75, oomKills: 1, usedMemoryMiB: 400 })
      expect(ask(rule, killed).memoryMiBPerReplica).toBeGreaterThan(1.2 * 400)
    }
  })
})

const resize = (settings: Partial<ResizeSettings> = {}, cluster: Partial<RuleCluster> = {}): ResizeRule =>
  new ResizeRule(
    { ...IN_PLACE, ...cluster },
    { targetPercent: 40, windowSteps: 4, leastCores: 0.5, hysteresis01: 0.1, headroom: 1.5, ...settings },
  )

describe('memory by headroom', () => {
  const rule = () => new HpaHeadroomRule(IN_PLACE, { podCores: 1, targetPercent: 50, headroom: 1.5 })
  const using = (usedMemoryMiB: number, memoryMiBPerReplica = 100) =>
    telling(10, { usedMemoryMiB, memoryMiBPerReplica })

  it('is headroom × the largest of the last 20 samples', () => {
    const memory = rule()
    expect(ask(memory, using(300)).memoryMiBPerReplica).toBe(450)
    for (let i = 0; i < 19; i++) expect(ask(memory, using(200, 450)).memoryMiBPerReplica).toBe(450)
    expect(ask(memory, using(200, 450)).memoryMiBPerReplica).toBe(300)
  })

  it('does not take back a resize that is still under way', () => {
    const simulator = simulate(generateLoad(core, 3, 2), { resize: 'restart' })
    for (const rule of [
      new HpaHeadroomRule(simulator.options, { podCores: 2, targetPercent: 30, headroom: 1.25 }),
      resize({ hysteresis01: 0.4, leastCores: 1 }, simulator.options),
    ]) {
      simulator.reset(0, 1)
      expect(operate(simulator, rule, { steps: 5760 }).resizesPerHour).toBeLessThan(6)
    }
  })

  it('waits with a rolling update until half of the headroom is used up, or much is idle', () => {
    const memory = new HpaHeadroomRule(
      { ...IN_PLACE, resize: 'restart' },
      { podCores: 1, targetPercent: 50, headroom: 1.5 },
    )
    expect(ask(memory, using(300, 450)).memoryMiBPerReplica).toBe(450)
    expect(ask(memory, using(350, 450)).memoryMiBPerReplica).toBe(450)
    expect(ask(memory, using(370, 450)).memoryMiBPerReplica).toBe(555)
    for (let i = 0; i < 239; i++) ask(memory, using(300, 555))
    expect(ask(memory, using(300, 555)).memoryMiBPerReplica).toBe(555)
    for (let i = 0; i < 239; i++) ask(memory, using(200, 555))
    expect(ask(memory, using(200, 555)).memoryMiBPerReplica).toBe(300)
  })

  it('makes do for ever with all that was ever seen where pods keep their first size', () => {
    const memory = new HpaHeadroomRule(
      { ...IN_PLACE, resize: 'none' },
      { podCores: 1, targetPercent: 50, headroom: 1.5 },
    )
    memory.observe(using(400))
    for (let i = 0; i < 1000; i++) memory.observe(using(200))
    expect(ask(memory, using(200)).memoryMiBPerReplica).toBe(600)
  })
})

describe('the resize rule', () => {
  it('sizes by work × rate / target at constant load', () => {
    const simulator = simulate(flatLoad(0.25), { sensorNoise: 0 }) // 1 core of work
    const rule = resize({ windowSteps: 10, hysteresis01: 0 })
    const sizes: number[] = []
    operate(simulator, rule, { steps: 20 })
    operate(simulator, rule, { steps: 200, onStep: () => sizes.push(simulator.allocation.coresPerReplica) })
    const { peakRatePerSecond, workSeconds } = simulator.application
    const arrivals = 15 * 0.25 * peakRatePerSecond // Poisson: the largest of ten lies about 1.5 deviations above
    const expected = (workSeconds * (arrivals + 1.54 * Math.sqrt(arrivals))) / 15 / 0.4
    const mean = sizes.reduce((a, b) => a + b, 0) / sizes.length
    expect(mean / expected).toBeCloseTo(1, 2)
    expect(simulator.allocation.replicas).toBe(1)
  })

  it('answers a jump to the tenfold in the step after it, in place', () => {
    const rule = resize()
    for (let i = 0; i < 20; i++) ask(rule, telling(5)) // 0.1 cores of work
    const { coresPerReplica, replicas } = ask(rule, telling(50, { coresPerReplica: 0.5, usedCores: 0.5 }))
    expect(replicas).toBe(1)
    expect(coresPerReplica).toBeCloseTo(1 / 0.4, 9)
  })

  it('lets running pods carry what starting ones will, where pods grow in place', () => {
    const told = telling(100, { coresPerReplica: 4, readyReplicas: 1 }) // 2 cores of work at 40 %: 5 cores, two pods
    const grown = ask(resize(), told)
    expect(grown.replicas).toBe(2)
    expect(grown.coresPerReplica).toBe(4)
    const small = ask(resize({ targetPercent: 55 }, { bounds: { ...DEFAULT_BOUNDS, replicas: [2, 20] } }), told)
    expect(small).toMatchObject({ replicas: 2, coresPerReplica: 2 / 0.55 })
    const restarted = ask(
      resize({ targetPercent: 55 }, { resize: 'restart', bounds: { ...DEFAULT_BOUNDS, replicas: [2, 20] } }),
      told,
    )
    expect(restarted.coresPerReplica).toBeCloseTo(2 / 0.55 / 2, 9)
  })

  it('shrinks only beyond its hysteresis and never below the smallest pod', () => {
    const rule = resize({ windowSteps: 1, leastCores: 0.7 })
    const at = (rate: number, coresPerReplica: number) => ask(rule, telling(rate, { coresPerReplica })).coresPerReplica
    expect(at(50, 2)).toBeCloseTo(2.5, 9)
    expect(at(46, 2.5)).toBe(2.5)
    expect(at(44, 2.5)).toBeCloseTo(2.2, 9)
    expect(at(1, 2.2)).toBe(0.7)
  })

  it('keeps a pod while there would be little room without it', () => {
    const rule = resize({ windowSteps: 1, targetPercent: 50 })
    const pods = (rate: number, readyReplicas: number) =>
      ask(rule, telling(rate, { readyReplicas, coresPerReplica: 4 })).replicas
    expect(pods(90, 1)).toBe(2) // 3.6 cores: less than 15 % of room in one pod
    expect(pods(80, 2)).toBe(2) // 3.2 cores: not yet 40 %
    expect(pods(70, 2)).toBe(1) // 2.8 cores
  })

  it.each<[string, Partial<Telemetry>]>([
    ['pods that start', { startingReplicas: 2, usedCores: 0.1 }],
    ['a kill', { oomKills: 1, usedCores: 0.1 }],
    ['given-up requests', { droppedRequests: 500, usedCores: 0.2 }],
    ['saturated CPUs', { usedCores: 1.99 }],
  ])('does not learn the work of a request from %s, nor from the step after', (_, disturbance) => {
    const rule = resize({ windowSteps: 1 })
    for (let i = 0; i < 20; i++) ask(rule, telling(50))
    ask(rule, telling(50, disturbance))
    ask(rule, telling(50, { usedCores: 1.7 })) // what is left of it is still being worked off
    for (let i = 0; i < 9; i++) ask(rule, telling(50)) // under strain all cores counted as used, for a while
    expect(ask(rule, telling(50)).coresPerReplica).toBeCloseTo(2.5, 9)
  })

  it('grows out of saturation when requests have become more work than it knew', () => {
    const simulator = simulate(flatLoad(0.25))
    const rule = resize()
    for (let i = 0; i < 100; i++) rule.observe(telling(50, { usedCores: 0.05 })) // a twentieth of the true work
    operate(simulator, rule, { steps: 80 })
    expect(operate(simulator, rule, { steps: 100 }).violationPercent).toBe(0)
  })

  it('follows a load that falls to nothing and comes back', () => {
    const load = createLoad(
      'gone',
      Array.from({ length: 600 }, (_, i) => (i % 200 < 100 ? 0.5 : 0)),
    )
    const simulator = simulate(load)
    const { violationPercent } = operate(simulator, resize({ leastCores: 1.5 }), { steps: 2300 })
    expect(violationPercent).toBeLessThan(1)
    expect(simulator.allocation.coresPerReplica).toBe(1.5)
  })
})
