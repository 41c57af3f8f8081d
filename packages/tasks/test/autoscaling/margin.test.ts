import { type Core, createCore, Random } from '@trimtab/core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type Allocation,
  type ClusterOptions,
  ClusterSimulator,
  clampAllocation,
  createLoad,
  createTelemetry,
  DEFAULT_BOUNDS,
  flattenPrior,
  GRID_CORES,
  GRID_UTILISATION,
  generateApplication,
  generateLoad,
  HpaHeadroomRule,
  LAW_KINDS,
  LatencyBelief,
  type LatencyLaw,
  type LatencyPrior,
  LoadForecast,
  learnPrior,
  logRatios,
  MarginAllocator,
  operate,
  rollLaw,
  shippedPrior,
  type Telemetry,
} from '../../src/autoscaling/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})
const open: { dispose(): void }[] = []
afterEach(() => {
  for (const owned of open.splice(0)) owned.dispose()
})

const DAY = 5760
const FRESH = 500_000 // seeds that no pool holds

/** Solves a x = b by elimination with pivots. */
function solve(a: number[][], b: number[]): number[] {
  const n = b.length
  const rows = a.map((row, i) => [...row, b[i]!])
  for (let i = 0; i < n; i++) {
    const pivot = rows
      .slice(i)
      .reduce((best, row, k) => (Math.abs(row[i]!) > Math.abs(rows[best]![i]!) ? i + k : best), i)
    ;[rows[i], rows[pivot]] = [rows[pivot]!, rows[i]!]
    for (let k = 0; k < n; k++) {
      if (k === i) continue
      const factor = rows[k]![i]! / rows[i]![i]!
      for (let j = i; j <= n; j++) rows[k]![j]! -= factor * rows[i]![j]!
    }
  }
  return rows.map((row, i) => row[n]! / row[i]!)
}

describe('the prior', () => {
  it('is the one that its script learns, to the byte', () => {
    expect(flattenPrior(shippedPrior())).toEqual(flattenPrior(learnPrior(core)))
  })

  it('knows laws of every kind that its pool does not hold: ten numbers tell most of each', () => {
    const { mean, components, residual } = shippedPrior()
    for (const kind of LAW_KINDS) {
      let [left, all] = [0, 0]
      for (let seed = FRESH; seed < FRESH + 40; seed++) {
        const ratios = logRatios(core, rollLaw(core, kind, seed), 2)
        const rest = ratios.map((value, d) => value - mean[d]!)
        all += rest.reduce((sum, value) => sum + value * value, 0)
        for (const component of components) {
          const square = component.reduce((sum, value) => sum + value * value, 0)
          const along = component.reduce((sum, value, d) => sum + value * rest[d]!, 0) / square
          component.forEach((value, d) => {
            rest[d]! -= along * value
          })
        }
        left += rest.reduce((sum, value) => sum + value * value, 0)
      }
      expect(left / all, kind).toBeLessThan(0.05)
    }
    expect(Math.max(...residual)).toBeLessThan(0.25)
  })
})

describe('the belief of a law', () => {
  /** One component: everything shifts by it. */
  const nodes = GRID_CORES.length * GRID_UTILISATION.length
  const shifting: LatencyPrior = {
    mean: new Float64Array(nodes).fill(-0.5),
    components: [new Float64Array(nodes).fill(0.4)],
    residual: new Float64Array(nodes),
  }

  it('is what Bayesian regression over the components gives', () => {
    const prior = shippedPrior()
    const belief = new LatencyBelief(core.math, prior)
    const law = rollLaw(core, 'queueing', FRESH)
    const precision = prior.components.map((_, k) => prior.components.map((__, l) => (k === l ? 1 : 0)))
    const pull = prior.components.map(() => 0)
    for (const [i, j] of [
      [3, 4],
      [6, 2],
      [8, 7],
      [5, 5],
    ] as const) {
      const node = i * GRID_UTILISATION.length + j
      const seen = Math.log(law(GRID_CORES[i]!, GRID_UTILISATION[j]!) / 2)
      const noise = belief.dispersion + belief.samplingVariance(400)
      for (const [k, a] of prior.components.entries()) {
        pull[k]! += (a[node]! * (seen - prior.mean[node]!)) / noise
        for (const [l, b] of prior.components.entries()) precision[k]![l]! += (a[node]! * b[node]!) / noise
      }
      belief.learn(GRID_CORES[i]!, GRID_UTILISATION[j]!, seen, 400)
    }
    // The filter cuts surprises at three deviations and lets coefficients drift by a thousandth: none of that shows here.
    solve(precision, pull).forEach((value, k) => {
      expect(belief.coefficients[k]).toBeCloseTo(value, 2)
    })
  })

  it('grows surer with what it sees, and is moved by many requests more than by few', () => {
    const few = new LatencyBelief(core.math, shifting)
    const many = new LatencyBelief(core.math, shifting)
    const before = few.predict(1, 0.4).variance
    few.learn(1, 0.4, -0.2, 10)
    many.learn(1, 0.4, -0.2, 5000)
    expect(few.predict(2, 0.3).variance).toBeLessThan(before)
    expect(many.predict(2, 0.3).variance).toBeLessThan(few.predict(2, 0.3).variance)
    expect(many.predict(2, 0.3).mean).toBeGreaterThan(few.predict(2, 0.3).mean)
  })

  it('tells the noise of few requests from a service that scatters itself', () => {
    const sampled = new LatencyBelief(core.math, shifting)
    const scattering = new LatencyBelief(core.math, shifting)
    const random = new Random(core, 1, 1)
    open.push(random)
    for (let i = 0; i < 6000; i++) {
      const requests = i % 2 === 0 ? 60 : 3000
      sampled.learn(1, 0.4, -0.5 + Math.sqrt(3 / requests) * random.normal(), requests)
      scattering.learn(1, 0.4, -0.5 + Math.sqrt(0.04 + 3 / requests) * random.normal(), requests)
    }
    expect(sampled.dispersion).toBeLessThan(0.002)
    expect(scattering.dispersion).toBeGreaterThan(0.025)
    expect(scattering.dispersion).toBeLessThan(0.06)
  })
})

describe('the forecast of the load', () => {
  it('is exceeded as often as it says, whatever the surprises are like', () => {
    const random = new Random(core, 2, 1)
    open.push(random)
    const shapes: Record<string, () => number> = {
      normal: () => 0.1 * random.normal(),
      'heavy tails': () => (random.uniform() < 0.05 ? 0.4 : 0.05) * random.normal(),
      jumps: () => (random.uniform() < 0.01 ? 0.7 : 0.03 * random.normal()),
    }
    for (const [name, draw] of Object.entries(shapes)) {
      for (const risk of [0.1, 0.01]) {
        const forecast = new LoadForecast(core.math, 15)
        let exceeded = 0
        let level = 300
        const steps = 6 * DAY
        for (let i = 0; i < steps; i++) {
          level = Math.max(100, Math.min(900, level * Math.exp(draw())))
          if (i >= DAY && level > forecast.quantile(risk)) exceeded++
          forecast.observe(level)
        }
        const share = exceeded / (steps - DAY)
        expect(share, `${name} at ${risk}`).toBeLessThan(1.5 * risk)
        expect(share, `${name} at ${risk}`).toBeGreaterThan(0.4 * risk)
      }
    }
  })

  it('expects something after silence', () => {
    const forecast = new LoadForecast(core.math, 15)
    for (let i = 0; i < 100; i++) forecast.observe(0)
    expect(forecast.quantile(0.01)).toBeGreaterThan(0)
    expect(forecast.quantile(0.01)).toBeLessThan(10)
  })
})

/** A service that obeys a law, without queues between steps: no simulator of ours. Cores and replicas are in force at once. */
function liveBy(law: LatencyLaw, allocator: MarginAllocator, steps: number, factor: number, seed: number) {
  const random = new Random(core, seed, 7)
  open.push(random)
  const telemetry: Telemetry = {
    ...createTelemetry(),
    sloMs: 100 * factor,
    coresPerReplica: 2,
    memoryMiBPerReplica: 512,
  }
  const wanted: Allocation = { coresPerReplica: 2, memoryMiBPerReplica: 512, replicas: 1 }
  let [cores, least, broken] = [0, 0, 0]
  for (let step = 0; step < steps; step++) {
    const daily = 60 + 40 * Math.sin((2 * Math.PI * step) / DAY)
    const requests = random.poisson(15 * daily)
    const rate = requests / 15
    const work = 0.02
    const at = ({ coresPerReplica, replicas }: Allocation): number =>
      law(coresPerReplica, (rate * work) / (replicas * coresPerReplica))
    const p99 = 100 * at(wanted)
    if (step >= steps / 2) {
      cores += wanted.coresPerReplica * wanted.replicas
      if (p99 > telemetry.sloMs) broken++
      let cheapest = Number.POSITIVE_INFINITY
      for (let n = 1; n <= 8; n++) {
        for (let c = 0.125; c <= 4; c *= 1.1) {
          if (n * c < cheapest && at({ ...wanted, coresPerReplica: c, replicas: n }) <= factor) cheapest = n * c
        }
      }
      least += Math.min(cheapest, 80)
    }
    Object.assign(telemetry, {
      timeSeconds: 15 * step,
      requests,
      ratePerSecond: rate,
      p99Ms: p99 * Math.exp(Math.sqrt(2 / Math.max(1, requests)) * random.normal()),
      usedCores: rate * work * (1 + 0.02 * random.normal()),
      usedMemoryMiB: 200,
      readyReplicas: wanted.replicas,
      coresPerReplica: wanted.coresPerReplica,
      memoryMiBPerReplica: wanted.memoryMiBPerReplica,
    })
    allocator.allocate(telemetry, wanted)
    clampAllocation(wanted, DEFAULT_BOUNDS, wanted)
  }
  const judged = steps - steps / 2
  return { cores: cores / judged, least: least / judged, brokenPercent: (100 * broken) / judged }
}

const simulate = (
  app: number,
  options: Partial<ClusterOptions> = {},
  load = generateLoad(core, app),
): ClusterSimulator => {
  const simulator = new ClusterSimulator(core, generateApplication(core, app), load, options)
  open.push(simulator)
  simulator.reset(0, 1)
  return simulator
}

describe('the margin allocator', () => {
  it.each(LAW_KINDS)('keeps the SLO of services of a kind, %s, near the fewest cores that do', (kind) => {
    const records = Array.from({ length: 5 }, (_, i) =>
      liveBy(rollLaw(core, kind, FRESH + i), new MarginAllocator(core), 2 * DAY, 2, FRESH + i),
    )
    for (const record of records) {
      expect(record.brokenPercent, JSON.stringify(records)).toBeLessThan(0.75)
      expect(record.cores, JSON.stringify(records)).toBeLessThan(1.6 * record.least)
    }
    expect(records.reduce((sum, { brokenPercent }) => sum + brokenPercent / 5, 0)).toBeLessThanOrEqual(0.5)
  })

  it('costs less than HPA at 40 % of two cores and breaks no more than its budget, from the first day on', () => {
    for (const app of [31, 32, 33]) {
      const hpa = new HpaHeadroomRule(
        { bounds: DEFAULT_BOUNDS, resize: 'in-place', stepSeconds: 15 },
        { podCores: 2, targetPercent: 40, headroom: 1.4 },
      )
      const rule = operate(simulate(app), hpa, { steps: 3 * DAY })
      const learned = operate(simulate(app), new MarginAllocator(core), { steps: 3 * DAY })
      expect(learned.violationPercent).toBeLessThanOrEqual(0.5)
      expect(learned.dollarsPerHour).toBeLessThan(rule.dollarsPerHour)
    }
  })

  it('leaves a crash loop: more pods where more memory for each does not help', () => {
    const steps = createLoad(
      'steps',
      Array.from({ length: 4320 }, (_, t) => [220, 640, 380, 900][Math.floor(t / 190) % 4]!),
    )
    const { violationPercent } = operate(simulate(4, {}, steps), new MarginAllocator(core), { steps: 3 * DAY })
    expect(violationPercent).toBeLessThan(1)
  })

  it('spends its budget: a larger one is broken more often, and cheaper', () => {
    const at = (budget01: number) => operate(simulate(33), new MarginAllocator(core, { budget01 }), { steps: 3 * DAY })
    const [strict, lax] = [at(0.0005), at(0.05)]
    expect(lax.dollarsPerHour).toBeLessThan(0.97 * strict.dollarsPerHour)
    expect(lax.violationPercent).toBeGreaterThan(strict.violationPercent)
    expect(lax.violationPercent).toBeLessThanOrEqual(5)
  })

  it('does not add pods for what it does not know: silence of a new service stays cheap', () => {
    const silent = createLoad('silence', [
      ...Array.from({ length: 480 }, () => 0),
      ...Array.from({ length: 60 }, () => 1),
    ])
    const { replicas, cores } = operate(simulate(3, {}, silent), new MarginAllocator(core), { steps: 1900 })
    expect(replicas).toBeLessThan(1.2)
    expect(cores).toBeLessThanOrEqual(DEFAULT_BOUNDS.cores[1])
  })

  it('says why: the interval that it names holds what is measured next', () => {
    const simulator = simulate(34)
    const allocator = new MarginAllocator(core)
    operate(simulator, allocator, { steps: DAY })
    let [inside, steps] = [0, 0]
    const wanted: Allocation = { ...simulator.allocation }
    for (let step = 0; step < 1000; step++) {
      Object.assign(wanted, simulator.allocation)
      allocator.allocate(simulator.telemetry, wanted)
      const { interval, risk01, cheaper, providedRate, expectedRate } = allocator.explain(wanted)
      expect(risk01).toBeGreaterThan(0)
      expect(providedRate).toBeGreaterThanOrEqual(expectedRate)
      if (cheaper) expect(cheaper.coresPerReplica).toBeLessThan(wanted.coresPerReplica)
      simulator.step(wanted)
      const seen = simulator.truth.p99Ms / simulator.sloMs
      if (seen >= interval[0] && seen <= interval[1]) inside++
      steps++
    }
    expect(inside / steps).toBeGreaterThan(0.9)
  })

  it('goes on elsewhere from what it saved, to the byte, and refuses what is damaged before it changes', () => {
    const [here, there] = [new MarginAllocator(core), new MarginAllocator(core)]
    const simulator = simulate(35)
    operate(simulator, here, { steps: 2000 })
    const moment = simulator.save()
    there.load(Buffer.from(here.save()))
    const goOn = (allocator: MarginAllocator): readonly number[] => {
      simulator.load(moment)
      const { dollarsPerHour, violationPercent } = operate(simulator, allocator, { steps: 500 })
      return [dollarsPerHour, violationPercent, ...allocator.embedding]
    }
    expect(goOn(there)).toEqual(goOn(here))
    const saved = here.save()
    expect(() => here.load(saved.subarray(8))).toThrow(/margin_state_invalid|no state of this margin allocator/)
    const broken = saved.slice()
    new Float64Array(broken.buffer)[40] = Number.NaN
    expect(() => here.load(broken)).toThrow(/no state of this margin allocator/)
    expect(here.save()).toEqual(saved)
  })

  it('refuses options that it cannot have', () => {
    expect(() => new MarginAllocator(core, { budget01: 0 })).toThrow(/budget01/)
    expect(() => new MarginAllocator(core, { budget: 1 } as never)).toThrow(/budget/)
  })
})
