import { ConfigError } from '@trimtab/core'
import { defineTask } from '../define-task.js'
import { logScale } from '../scale.js'
import type { ControlTask, TaskRule, TaskSafety } from '../task.js'
import { generateApplication } from './application.js'
import { Aimd } from './baselines/aimd.js'
import { HpaVpa } from './baselines/hpa-vpa.js'
import { AutoscalingEnvironment } from './environment.js'
import { generateLoad } from './load.js'
import {
  type AutoscalingPair,
  autoscalingParameters,
  createAutoscalingWorld,
  generateAutoscalingPair,
} from './pairs.js'
import { ADAPTATION_LEARNER, AUTOSCALING_LEARNER } from './preset.js'
import { LOGARITHMIC_ACTION, LOGARITHMIC_OBSERVATION, RELATIVE_ACTION, RELATIVE_OBSERVATION } from './spaces.js'
import { DEFAULT_BOUNDS } from './telemetry.js'

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

type AutoscalingRule = TaskRule<AutoscalingEnvironment>
type AutoscalingSafety = TaskSafety<AutoscalingEnvironment>

const hpaVpa = (podCores: number): AutoscalingRule => ({
  name: 'hpa-vpa',
  label: 'HPA+VPA',
  create: (core, world) => new HpaVpa(core, world, DEFAULT_BOUNDS, { podCores, targetPercent: 50 }),
})
const AIMD: AutoscalingRule = { name: 'aimd', label: 'AIMD', create: (_core, world) => new Aimd(world) }
const VIOLATIONS: Pick<AutoscalingSafety, 'isViolation' | 'isTrueViolation'> = {
  isViolation: (info) => info.measuredViolation === 1,
  isTrueViolation: (info) => info.trueViolation === 1,
}
const LABELS = { spec: 'application', reward: 'reward of 200', violation: 'steps that broke the SLO' } as const

/**
 * Autoscaling as `trimtab autoscale` runs it: the relative view, 12 observations and 3 actions, a price of 2 on every step that
 * breaks the SLO, episodes in the first 70 % of the load; the rest is for judging. Pair n is the application and the load of seed n.
 */
export const AUTOSCALING: ControlTask<GeneratedPair, AutoscalingEnvironment> = defineTask({
  kind: 'control',
  name: 'autoscaling',
  labels: { ...LABELS, task: 'Autoscaling' },
  observation: RELATIVE_OBSERVATION,
  action: RELATIVE_ACTION,
  episodeSteps: 100,
  generate: (_core, number) => ({ number }),
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
  rules: [hpaVpa(2), AIMD],
  baseLearner: AUTOSCALING_LEARNER,
  safety: {
    ...VIOLATIONS,
    safeDirection: [1, 1, -1], // cores, memory headroom, target utilisation
    hindsight: (world, action, random) => world.hindsight(action, 2 * random.uniform() - 1),
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
})

function defineAdaptation(
  name: string,
  label: string,
  hasHiddenWeight: boolean,
): ControlTask<AutoscalingPair, AutoscalingEnvironment> {
  return defineTask({
    kind: 'control',
    name,
    labels: { ...LABELS, task: label },
    observation: LOGARITHMIC_OBSERVATION,
    action: LOGARITHMIC_ACTION,
    episodeSteps: 100,
    generate: (core, number) => generateAutoscalingPair(core, number, hasHiddenWeight),
    environment: createAutoscalingWorld,
    rules: [hpaVpa(1), AIMD],
    baseLearner: ADAPTATION_LEARNER,
    safety: { ...VIOLATIONS, safeDirection: [1, 1, 1] },
    parameters: (core, pair) => autoscalingParameters(core, pair, hasHiddenWeight),
  })
}

/**
 * Autoscaling for adaptation: absolute actions on log scales, AWARE's state, applications that need from 0.1 to 16 cores on
 * average and from 100 MiB idle to 1,200. What an application needs shows in its state within some steps.
 */
export const AUTOSCALING_ADAPTATION: ControlTask<AutoscalingPair, AutoscalingEnvironment> = defineAdaptation(
  'autoscaling-adaptation',
  'Autoscaling on logarithmic scales',
  false,
)

/**
 * The same with reward weights of each application's own that the state does not show: what is best cannot be
 * known without having seen rewards.
 */
export const AUTOSCALING_HIDDEN_WEIGHT: ControlTask<AutoscalingPair, AutoscalingEnvironment> = defineAdaptation(
  'autoscaling-hidden-weight',
  'Autoscaling with hidden reward weights',
  true,
)
