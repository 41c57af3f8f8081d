// Small worlds for the tests of the simulated workload.
import type { Core, Step } from '@trimtab/core'
import {
  type Application,
  AutoscalingEnvironment,
  type AutoscalingOptions,
  createLoad,
  type LoadSeries,
  requestCosts,
  SEGMENTS,
} from '../../src/autoscaling/index.js'

/** An application of the named segments: idle memory 200 MiB, `peakCores` of work at the peak. */
export function appOf(segments: readonly string[], peakCores = 4): Application {
  const chosen = segments.map((name) => SEGMENTS.find((s) => s.name === name)!)
  const costs = requestCosts(chosen)
  const peakRatePerSecond = peakCores / costs.workSeconds
  return { name: 'test', segments: chosen, ...costs, baseMemoryMiB: 200, peakRatePerSecond }
}

/** Four days at `share` of the peak, but for a few minutes at the peak itself near the end. */
export const flatLoad = (share: number): LoadSeries =>
  createLoad(
    'flat',
    Array.from({ length: 5760 }, (_, i) => (i >= 5700 ? 1 : share)),
  )

export const createFlat = (core: Core, share = 0.5, options: AutoscalingOptions = {}): AutoscalingEnvironment =>
  new AutoscalingEnvironment(core, appOf(['json', 'file-read']), flatLoad(share), { part: [0, 0.9], ...options })

/** Everything that a step tells, as comparable numbers. */
export const numbersOf = (step: Step): number[] => [
  ...step.observation,
  step.reward,
  Number(step.truncated),
  ...Object.values(step.info),
]

/** An action for each step, all over the space: the same ones every time. */
export const wander = (step: number): Float32Array =>
  Float32Array.of(((step * 37) % 21) / 10 - 1, ((step * 23) % 19) / 9 - 1, ((step * 11) % 17) / 8 - 1)
