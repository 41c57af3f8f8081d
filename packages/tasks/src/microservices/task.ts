import { ConfigError, type Core, mean } from '@trimtab/core'
import type { BaseLearnerChoice } from '@trimtab/learn'
import { defineTask } from '../define-task.js'
import type { ControlTask } from '../task.js'
import { MicroserviceEnvironment } from './environment.js'
import { type ServiceGraph, walk } from './graph.js'
import { CONTINUOUS_ACTION, type CulpritAction, TERNARY_ACTION } from './mitigation/culprit-action.js'
import { CULPRIT_OBSERVATION } from './mitigation/culprit-state.js'
import { nodesFor } from './nodes.js'
import { FIRM_CONTINUOUS, FIRM_TERNARY } from './preset.js'
import { provision } from './provision.js'
import { generateGraph } from './random-graph.js'
import { RESOURCES } from './resources.js'

/** A generated application of eight services, by number. Plain JSON. */
export interface MicroservicePair {
  readonly number: number
  /** For an agent of its own (one-for-each): the rule acts for all other services. */
  readonly service?: string
}

const HEADROOM = 1.2 // of one machine, over what is deployed
const SIZE = { services: 8, ratePerSecond: 30 } // small: what a decision costs is the seconds that are simulated for it
const LOAD = 1.6 // near enough to what it can do that anomalies break SLOs

function graphOf(core: Core, pair: MicroservicePair): ServiceGraph {
  const number = pair?.number
  if (!Number.isSafeInteger(number) || number < 0)
    throw new ConfigError('config_invalid', `pair.number must be a whole number >= 0, got ${number}`)
  return provision(generateGraph(core, number, SIZE), { load: LOAD })
}

function createWorld(core: Core, pair: MicroservicePair, action: CulpritAction): MicroserviceEnvironment {
  const graph = graphOf(core, pair)
  const { service } = pair
  if (service !== undefined && !graph.services.some(({ name }) => name === service))
    throw new ConfigError('config_invalid', `pair.service must be a service of ${graph.name}, got ${service}`)
  const nodes = nodesFor(graph, 1, HEADROOM)
  return new MicroserviceEnvironment(core, graph, { action, nodes, ...(service !== undefined && { service }) })
}

/** What services cost: each resource's part of the time of their work, and how that varies. */
function parametersOf(core: Core, pair: MicroservicePair): Float32Array {
  const { services, requests } = graphOf(core, pair)
  const calls = requests.flatMap(({ entry }) => walk(entry).map(({ call }) => call))
  const times = calls.map(({ service, work }) => {
    const { grant, workers } = services.find(({ name }) => name === service)!
    return RESOURCES.map((resource) => (workers * work[resource]) / grant[resource])
  })
  const total = mean(times.map((parts) => parts.reduce((sum, part) => sum + part, 0)))
  return Float32Array.of(
    ...RESOURCES.map((_, r) => (4 * mean(times.map((parts) => parts[r]!))) / total - 1),
    mean(services.map(({ variability }) => variability)) - 0.6,
  )
}

function defineMitigation(
  name: string,
  action: CulpritAction,
  baseLearner: BaseLearnerChoice,
): ControlTask<MicroservicePair, MicroserviceEnvironment> {
  return defineTask({
    kind: 'control',
    name,
    labels: { task: 'Microservices', spec: 'application', violation: 'seconds that broke an SLO' },
    observation: CULPRIT_OBSERVATION,
    action: action.space,
    episodeSteps: 100,
    generate: (_core, number) => ({ number }),
    environment: (core, pair) => createWorld(core, pair, action),
    rules: [
      { name: 'localised', label: 'all limits of the culprit up', create: () => action.up },
      { name: 'keep', label: 'limits as they are', create: () => action.keep },
    ],
    baseLearner,
    parameters: parametersOf,
    safety: { isViolation: (info) => info.violation === 1 },
  })
}

const learner = ({ preset, options }: typeof FIRM_CONTINUOUS): BaseLearnerChoice => ({
  algorithm: 'ddpg',
  preset,
  options: { ...options },
})

/** FIRM's second half: the limits of the culprit that traces name, 8 → 5, with the rule that raises them all as the fallback. */
export const MICROSERVICES: ControlTask<MicroservicePair, MicroserviceEnvironment> = defineMitigation(
  'microservices',
  CONTINUOUS_ACTION,
  learner(FIRM_CONTINUOUS),
)

/**
 * The same as FIRM's critic of 23 inputs has it: keep, up or down for each limit, 8 → 15. Not in `TASKS`: a module that exports it as
 * `task` is what the command takes.
 */
export const MICROSERVICES_TERNARY: ControlTask<MicroservicePair, MicroserviceEnvironment> = defineMitigation(
  'microservices-ternary',
  TERNARY_ACTION,
  learner(FIRM_TERNARY),
)
