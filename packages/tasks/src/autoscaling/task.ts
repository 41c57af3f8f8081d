import { ConfigError, type Controller, type Core } from '@trimtab/core'
import { logScale, pairNumbers, type TaskDefinition } from '../task.js'
import { generateApplication } from './application.js'
import { AutoscalingEnvironment } from './environment.js'
import { HpaVpa } from './hpa-vpa.js'
import { generateLoad } from './load.js'
import { DEFAULT_BOUNDS } from './telemetry.js'
import { RELATIVE_ACTION, RELATIVE_OBSERVATION } from './views.js'

/** An application of `generateApplication` under its own load of `generateLoad`, by number. Plain JSON. */
export interface GeneratedPair {
  readonly number: number
}

// What `generateApplication` rolls, for the oracle's scale.
const WORK_SECONDS = [0.00025, 2.4] as const
const MEMORY_FLOOR_MIB = [100, 400] as const
const PEAK_CORES = [1, 8] as const

/** Episodes that know nothing of each other: the view forgets the work of a request too, which it otherwise keeps. */
class IndependentEpisodes extends AutoscalingEnvironment {
  readonly #blank: Float64Array = this.view.save()

  override reset(seed: number): Float32Array {
    this.view.load(this.#blank)
    return super.reset(seed)
  }
}

/**
 * Autoscaling as `trimtab autoscale` runs it: the relative view, 12 observations and 3 actions, a price of 2 on every step that
 * breaks the SLO, episodes in the first 70 % of the load; the rest is for judging. Pair n is the application and the load of seed n.
 */
export const AUTOSCALING: TaskDefinition<GeneratedPair, AutoscalingEnvironment> = {
  name: 'autoscaling',
  observation: RELATIVE_OBSERVATION,
  action: RELATIVE_ACTION,
  episodeSteps: 100,
  pool: (_core, seed, count) => pairNumbers(seed, count).map((number) => ({ number })),
  environment(core, pair) {
    const number = pair?.number
    if (!Number.isSafeInteger(number) || number < 0) {
      throw new ConfigError('config_invalid', `pair.number must be a whole number >= 0, got ${number}`)
    }
    return new IndependentEpisodes(core, generateApplication(core, number), generateLoad(core, number), {
      part: [0, 0.7],
      violationPenalty: 2,
    })
  },
  parameters(core, { number }) {
    const app = generateApplication(core, number)
    return Float32Array.of(
      logScale(core.math, app.workSeconds, WORK_SECONDS),
      app.variability - 1,
      logScale(core.math, app.baseMemoryMiB, MEMORY_FLOOR_MIB),
      logScale(core.math, app.peakRatePerSecond * app.workSeconds, PEAK_CORES),
    )
  },
  baseLearner: { algorithm: 'ddpg', preset: 'autoscaling', options: {} },
  heuristic: (core: Core, world: AutoscalingEnvironment): Controller =>
    new HpaVpa(core, world, DEFAULT_BOUNDS, { podCores: 2, targetPercent: 50 }),
}
