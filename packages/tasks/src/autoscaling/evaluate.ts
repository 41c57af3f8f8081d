import type { Controller } from '@trimtab/core'
import { evaluate } from '@trimtab/learn'
import type { AutoscalingEnvironment, AutoscalingInfo } from './environment.js'

/** Means over judged steps; rewards are sums over an episode. */
export interface AutoscalingEvaluation {
  readonly reward: number
  readonly violationPercent: number
  readonly measuredViolationPercent: number
  /** Median over steps. */
  readonly p99OverSlo: number
  readonly cpuUtilisation01: number
  readonly memoryUtilisation01: number
  readonly requestedCores: number
}

/**
 * Runs a controller for one episode per seed, the guard before the cluster, and tells what truly happened. Where telemetry is
 * unusable the controller is its own rule.
 * @param onStep  sees every step, for timelines
 */
export function evaluateAutoscaling(
  environment: AutoscalingEnvironment,
  controller: Controller,
  seeds: readonly number[],
  onStep?: (info: AutoscalingInfo) => void,
): AutoscalingEvaluation {
  const ratios: number[] = []
  let reward = 0
  let violations = 0
  let measured = 0
  let cpu = 0
  let memory = 0
  let cores = 0
  evaluate(controller, environment, {
    seeds,
    rule: controller,
    onTick: (tick) => {
      const info = tick.info as AutoscalingInfo
      reward += info.trueReward
      violations += info.trueViolation
      measured += info.measuredViolation
      cpu += info.cpuUtilisation01
      memory += info.memoryUtilisation01
      cores += info.requestedCores
      ratios.push(info.trueP99OverSlo)
      onStep?.(info)
    },
  })
  const steps = ratios.length
  return {
    reward: reward / seeds.length,
    violationPercent: (100 * violations) / steps,
    measuredViolationPercent: (100 * measured) / steps,
    p99OverSlo: ratios.sort((a, b) => a - b)[steps >> 1] ?? Number.NaN,
    cpuUtilisation01: cpu / steps,
    memoryUtilisation01: memory / steps,
    requestedCores: cores / steps,
  }
}

/** `n` seeds from `first` on. */
export const seedsFrom = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first + i)

/** Highest reward among those with at most `maxPercent` violations; when there is none, within half a point of the fewest. */
export function pickSafe<T>(tried: readonly T[], of: (t: T) => AutoscalingEvaluation, maxPercent: number): T {
  const fewest = Math.min(...tried.map((t) => of(t).violationPercent))
  const limit = fewest <= maxPercent ? maxPercent : fewest + 0.5
  const allowed = tried.filter((t) => of(t).violationPercent <= limit)
  return allowed.reduce((a, b) => (of(b).reward > of(a).reward ? b : a))
}
