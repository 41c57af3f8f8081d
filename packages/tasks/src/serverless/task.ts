import { ConfigError, type Controller, type Core, Random } from '@trimtab/core'
import { generateLoad, shareAt } from '../autoscaling/load.js'
import { defineTask } from '../define-task.js'
import { logScale } from '../scale.js'
import type { ControlTask, TaskRule } from '../task.js'
import { featureSpace } from './features.js'
import { FUNCTION_CATEGORIES, generateFunctions } from './function-profile.js'
import { INVOKER, SERVERLESS_DEFAULTS, type ServerlessSpec } from './platform-spec.js'
import { SERVERLESS_LEARNER, SERVERLESS_PRESETS } from './preset.js'
import { SingleTenantEnvironment } from './single-tenant.js'

/** A tenant with its function, load and neighbours, by number. Plain JSON. */
export interface ServerlessPair {
  readonly number: number
}

const TENANTS = 4
const STEPS_PER_DAY = 8640
const STREAM = 108
const MEAN_CORES = [0.25, 2] as const

const PRESET = SERVERLESS_PRESETS['priced-continuous']
const LEAST_SHARES = -1 // of the action's range
// R + 2√R at the fewest shares: shares cost, and others pay for what they take.
const DEFAULT_ACTION = Float32Array.of(0, LEAST_SHARES)

/** What a pair is: functions and loads of its own for four tenants, half of whose invoker is asked for on average. */
function specOf(core: Core, pair: ServerlessPair): ServerlessSpec {
  const number = pair?.number
  if (!Number.isSafeInteger(number) || number < 0) {
    throw new ConfigError('config_invalid', `pair.number must be a whole number >= 0, got ${number}`)
  }
  const functions = generateFunctions(core, number, TENANTS)
  const random = new Random(core, number, STREAM)
  const meanCores = functions.map(() => MEAN_CORES[0] * core.math.pow(MEAN_CORES[1] / MEAN_CORES[0], random.uniform()))
  random.dispose()
  const loads = functions.map((_, i) => {
    const load = generateLoad(core, TENANTS * number + i, 1)
    return Array.from({ length: STEPS_PER_DAY }, (_, step) =>
      shareAt(load, (step + 0.5) * SERVERLESS_DEFAULTS.stepSeconds),
    )
  })
  return {
    ...SERVERLESS_DEFAULTS,
    functions,
    loads: Object.fromEntries(loads.map((load, i) => [`load-${i}`, load])),
    tenants: functions.map(({ name }, i) => ({ functions: [name], loads: [`load-${i}`], meanCores: meanCores[i]! })),
    invokers: [INVOKER],
  }
}

/** One action for ever: with level actions, R + c√R containers of the largest recent demand at fixed shares. */
const always = (name: string, label: string, ...action: readonly number[]): TaskRule<SingleTenantEnvironment> => ({
  name,
  label,
  create: (): Controller => ({
    name,
    decide(observation, out) {
      if (observation.some(Number.isNaN))
        out.fill(Number.NaN) // hold
      else out.set(action)
    },
  }),
})

/**
 * One tenant of a serverless platform (S-RL of the dissertation, alone): it scales its function's containers and their shares; three
 * neighbours on the same invoker are scaled by R + 2√R.
 */
export const SERVERLESS: ControlTask<ServerlessPair, SingleTenantEnvironment> = defineTask({
  kind: 'control',
  name: 'serverless',
  labels: { task: 'Serverless functions', spec: 'function', violation: 'steps that broke the SLO' },
  observation: featureSpace(PRESET.observation),
  action: PRESET.action.space,
  episodeSteps: SERVERLESS_DEFAULTS.episodeSteps,
  generate: (_core, number) => ({ number }),
  environment: (core, pair) => new SingleTenantEnvironment(core, specOf(core, pair), PRESET, DEFAULT_ACTION),
  rules: [
    always('demand', 'R + 2√R of the largest demand', ...DEFAULT_ACTION),
    always('generous', 'R + 4√R, 2,048 shares', 1, 1),
  ],
  baseLearner: SERVERLESS_LEARNER,
  safety: { isViolation: (info) => info.violation === 1, safeDirection: [1, 1] },
  parameters(core, pair) {
    const { functions, tenants } = specOf(core, pair)
    const { category, workSeconds, workScv, ioSeconds, memoryMiB, coldStartSeconds } = functions[0]!
    return Float32Array.of(
      ...FUNCTION_CATEGORIES.map((one) => (one === category ? 1 : 0)),
      logScale(core.math, workSeconds, [0.02, 1]),
      logScale(core.math, ioSeconds, [0.005, 0.6]),
      logScale(core.math, workScv, [0.1, 1]),
      logScale(core.math, memoryMiB, [128, 1024]),
      (coldStartSeconds - 2.7) / 0.35,
      logScale(core.math, tenants[0]!.meanCores!, MEAN_CORES),
    )
  },
})
