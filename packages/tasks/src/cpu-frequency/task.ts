import { type Core, mean } from '@trimtab/core'
import { defineTask } from '../define-task.js'
import type { ControlTask, TaskRule } from '../task.js'
import { type FrequencyPair, generateFrequencyPair } from './application.js'
import { FixedFrequency, OverclockingRule } from './baselines.js'
import { FREQUENCY_LEARNER } from './preset.js'
import { LEVELS, PROCESSORS } from './processors.js'
import { FREQUENCY_REWARDS, type FrequencyRewardName } from './reward.js'
import { FrequencyEnvironment } from './simulator.js'
import { FREQUENCY_ACTION, FREQUENCY_OBSERVATION } from './spaces.js'

/** Phases in the order of their instructions per cycle, by which they can be told apart. */
function parametersOf(_core: Core, pair: FrequencyPair): Float32Array {
  const { nominalGhz, turboGhz } = PROCESSORS[pair.processor]
  const phases = pair.phases.toSorted((a, b) => a.instructionsPerCycle - b.instructionsPerCycle)
  return Float32Array.of(
    4 * (turboGhz / nominalGhz - 1) - 1, // 1.1 … 1.5
    pair.latencyFactor - 2,
    4 * pair.throughputShare - 3,
    2 * mean(phases.map(({ sensitivity }) => sensitivity)) - 1,
    ...phases.flatMap((p) => [
      2 * p.sensitivity - 1,
      (p.instructionsPerCycle - 1.3) / 0.9,
      2 * p.utilisation01 - 1,
      2 * p.requestLoad01 - 1,
    ]),
  )
}

type FrequencyRule = TaskRule<FrequencyEnvironment>

const CAREFUL: FrequencyRule = {
  name: 'overclocking-rule',
  create: (core, { processor }) => new OverclockingRule(core.math, processor.turboGhz / processor.nominalGhz),
}
const TURBO: FrequencyRule = { name: 'turbo', create: () => new FixedFrequency(LEVELS - 1) }
const NOMINAL: FrequencyRule = { name: 'nominal', create: () => new FixedFrequency(0) }

function defineFrequency(
  name: string,
  reward: FrequencyRewardName,
  rules: readonly FrequencyRule[],
): ControlTask<FrequencyPair, FrequencyEnvironment> {
  return defineTask({
    kind: 'control',
    name,
    labels: { task: 'CPU frequency', spec: 'application', violation: 'seconds that broke an SLO which turbo keeps' },
    observation: FREQUENCY_OBSERVATION,
    action: FREQUENCY_ACTION,
    episodeSteps: 100,
    generate: generateFrequencyPair,
    environment: (core, pair) => new FrequencyEnvironment(core, pair, FREQUENCY_REWARDS[reward]),
    rules,
    baseLearner: FREQUENCY_LEARNER,
    safety: { isViolation: (info) => info.violation === 1, safeDirection: [1] },
    parameters: parametersOf,
  })
}

/** SmartOverclock's task with power in the reward: what is best depends on the application and on its processor. */
export const CPU_FREQUENCY: ControlTask<FrequencyPair, FrequencyEnvironment> = defineFrequency(
  'cpu-frequency',
  'smartoverclock-power',
  [CAREFUL, TURBO, NOMINAL],
)

/** The same as printed. Without a price on power, turbo is best for every application. */
export const CPU_FREQUENCY_LITERAL: ControlTask<FrequencyPair, FrequencyEnvironment> = defineFrequency(
  'cpu-frequency-literal',
  'smartoverclock-literal',
  [TURBO, CAREFUL, NOMINAL],
)
