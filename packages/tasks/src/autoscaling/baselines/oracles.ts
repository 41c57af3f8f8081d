import { type Controller, type Core, Random } from '@trimtab/core'
import type { AutoscalingEnvironment } from '../environment.js'
import { type AutoscalingEvaluation, evaluateAutoscaling } from '../evaluate.js'
import { LatencyModel } from '../latency.js'
import { autoscalingReward, sloPreservation } from '../reward.js'
import type { ClusterSimulator } from '../simulator.js'
import type { Allocation, Telemetry } from '../telemetry.js'
import { Heuristic } from './heuristic.js'

// What no controller can know, for scale: the best fixed allocation, the best fixed action, an oracle of the next load.

/** One action for ever. */
export class ConstantAction implements Controller {
  readonly name: string
  readonly #action: Float32Array

  constructor(action: Float32Array, name = 'constant') {
    this.name = name
    this.#action = action
  }

  decide(_observation: Float32Array, out: Float32Array): void {
    out.set(this.#action)
  }
}

/** One allocation for ever. */
export class StaticAllocation extends Heuristic {
  readonly name = 'static'
  protected readonly reads: readonly (keyof Telemetry)[] = [] // it would do the same whatever it saw
  readonly #allocation: Allocation

  constructor(environment: AutoscalingEnvironment, allocation: Allocation) {
    super(environment)
    this.#allocation = allocation
  }

  protected allocate(_telemetry: Telemetry, out: Allocation): void {
    Object.assign(out, this.#allocation)
  }
}

/** Reward with violations priced: what the searches below maximise. One penalty unit a violated step, as the agent pays. */
const priced = (e: AutoscalingEvaluation, stepsPerEpisode: number, penalty: number): number =>
  e.reward - (penalty * e.violationPercent * stepsPerEpisode) / 100

/** The allocation with the highest reward on the given episodes, by grid (the reward alone decides, as in the papers). */
export function bestStatic(environment: AutoscalingEnvironment, seeds: readonly number[]): StaticAllocation {
  const { simulator } = environment
  const { replicas: range } = simulator.options.bounds
  let best: { reward: number; allocation: Allocation } | undefined
  for (const coresPerReplica of [0.5, 1, 2, 4]) {
    for (let replicas = range[0]; replicas <= range[1]; replicas = Math.ceil(replicas * 1.25)) {
      for (const headroom of [0.7, 0.85, 1]) {
        const atPeak = simulator.neededMemoryMiB(
          (simulator.application.peakRatePerSecond / replicas) *
            (simulator.application.workSeconds + simulator.application.waitSeconds),
        )
        const allocation = { coresPerReplica, replicas, memoryMiBPerReplica: headroom * atPeak }
        const { reward } = evaluateAutoscaling(environment, new StaticAllocation(environment, allocation), seeds)
        if (!best || reward > best.reward) best = { reward, allocation }
      }
    }
  }
  return new StaticAllocation(environment, best!.allocation)
}

/**
 * The best constant action by the cross-entropy method, penalty 1 for each violated step: how far the action space alone
 * goes without any learning from state.
 */
export function bestConstantAction(
  core: Core,
  environment: AutoscalingEnvironment,
  seeds: readonly number[],
  seed: number,
): ConstantAction {
  const size = environment.action.names.length
  const random = new Random(core, seed, 5)
  const mean = new Float64Array(size)
  const deviation = new Float64Array(size).fill(0.7)
  const POPULATION = 16
  const ELITE = 4
  for (let iteration = 0; iteration < 12; iteration++) {
    const candidates = Array.from({ length: POPULATION }, () => {
      const action = Float32Array.from(mean, (m, i) => Math.max(-1, Math.min(1, random.normal(m, deviation[i]!))))
      const result = evaluateAutoscaling(environment, new ConstantAction(action), seeds)
      return { action, score: priced(result, environment.stepsPerEpisode, 1) }
    }).sort((a, b) => b.score - a.score)
    for (let i = 0; i < size; i++) {
      const values = candidates.slice(0, ELITE).map((c) => c.action[i]!)
      mean[i] = values.reduce((a, b) => a + b, 0) / ELITE
      deviation[i] = Math.max(0.03, Math.sqrt(values.reduce((sum, v) => sum + (v - mean[i]!) ** 2, 0) / ELITE))
    }
  }
  random.dispose()
  return new ConstantAction(Float32Array.from(mean))
}

/** Knows the model and the loads of the next steps; greedy in reward, with a margin on the load (chosen by `oracleWithin`). */
export class Oracle extends Heuristic {
  readonly name = 'oracle'
  protected readonly reads: readonly (keyof Telemetry)[] = ['timeSeconds', 'readyReplicas', 'sloMs']
  readonly #simulator: ClusterSimulator
  readonly #model: LatencyModel
  readonly margin: number

  constructor(core: Core, environment: AutoscalingEnvironment, margin: number) {
    super(environment)
    this.#simulator = environment.simulator
    this.#model = new LatencyModel(core.math)
    this.margin = margin
  }

  protected allocate(telemetry: Telemetry, out: Allocation): void {
    const { options, application } = this.#simulator
    const { stepSeconds, bounds } = options
    const rateAfter = (steps: number): number =>
      this.#simulator.rateAt(telemetry.timeSeconds + (steps + 0.5) * stepSeconds)
    const next = rateAfter(0) * (1 + this.margin)
    // Replicas asked for now serve two steps later: whatever comes until then must fit the largest pods of those at hand.
    const later = Math.max(next, rateAfter(1) * (1 + this.margin), rateAfter(2) * (1 + this.margin))
    const fewest = Math.ceil((later * application.workSeconds) / (0.7 * bounds.cores[1]))
    const ready = telemetry.readyReplicas
    let best = Number.NEGATIVE_INFINITY
    for (
      let replicas = Math.max(bounds.replicas[0], fewest, ready - 3);
      replicas <= Math.min(ready + 3, bounds.replicas[1]);
      replicas++
    ) {
      for (let cores = bounds.cores[0]; cores <= bounds.cores[1]; cores *= 1.15) {
        const serving = Math.min(replicas, ready)
        this.#model.prepare(application, next / serving, cores, stepSeconds)
        const p99 = 1000 * this.#model.quantile(0.99, 2.3263478740408408)
        const used = Math.min(1, (next * application.workSeconds) / (replicas * cores * (1 + this.margin)))
        const inFlight = (next / serving) * (this.#model.serviceSeconds + this.#model.meanWaitSeconds)
        const memory = this.#simulator.neededMemoryMiB(inFlight) * (1.01 + 0.1 * this.margin)
        const need = this.#simulator.neededMemoryMiB(inFlight / (1 + this.margin))
        const reward = autoscalingReward(sloPreservation(telemetry.sloMs, p99), used, Math.min(1, need / memory))
        if (reward > best) {
          best = reward
          out.coresPerReplica = cores
          out.replicas = replicas
          out.memoryMiBPerReplica = memory
        }
      }
    }
  }
}

/** The oracle whose margin earns most on the given episodes among those with at most `maxPercent` violations (else the fewest). */
export function oracleWithin(
  core: Core,
  environment: AutoscalingEnvironment,
  seeds: readonly number[],
  maxPercent = 1,
): Oracle {
  const tried = [0, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.1, 1.5, 2].map((margin) => {
    const oracle = new Oracle(core, environment, margin)
    return { oracle, result: evaluateAutoscaling(environment, oracle, seeds) }
  })
  return pickSafe(tried, (t) => t.result, maxPercent).oracle
}

/** Highest reward among those with at most `maxPercent` violations; when there is none, within half a point of the fewest. */
export function pickSafe<T>(tried: readonly T[], of: (t: T) => AutoscalingEvaluation, maxPercent: number): T {
  const fewest = Math.min(...tried.map((t) => of(t).violationPercent))
  const limit = fewest <= maxPercent ? maxPercent : fewest + 0.5
  const allowed = tried.filter((t) => of(t).violationPercent <= limit)
  return allowed.reduce((a, b) => (of(b).reward > of(a).reward ? b : a))
}
