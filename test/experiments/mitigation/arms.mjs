// Every way to mitigate that is compared, by name.
import { Random } from '@trimtab/core'
import { loadPolicy } from '@trimtab/learn'
import {
  AimdEverywhere,
  byOwnQueue,
  byTraces,
  CONTINUOUS_ACTION,
  FixedLimits,
  NO_MITIGATION,
  ReplicaAutoscaler,
} from '@trimtab/tasks/microservices'
import { foresightPolicy } from './foresight.mjs'
import { MovesPolicy, movesPolicy, SCALE_OUT } from './moves.mjs'
import { culprits, defaultRule, localiserOf, REPLACE_AFTER } from './rule.mjs'

const AIMD = { increase: 0.25, decrease: 0.9 }
const GENEROUS_AIMD = { increase: 1, decrease: 0.9 }

/** Truth: whom an anomaly acts on at the end of the window, whether or not anybody is late. */
const byTruth =
  ({ campaign, simulated }) =>
  () => {
    const second = simulated.simulator.nowSeconds
    const active = campaign.anomalies.filter(
      ({ startSeconds, durationSeconds }) => startSeconds <= second && second < startSeconds + durationSeconds,
    )
    return active.map(({ target }) => ({ instance: `${target.service}-${target.replica}`, because: 'start' }))
  }

/** As many as traces name, but the true ones. */
const byTruthWhenLate = (setup, localiser) => {
  const truth = byTruth(setup)
  return (window) => (localiser.find(window).length > 0 ? truth(window) : [])
}

/** As many as traces name, but anybody. */
const byChance = ({ core, seed }, localiser) => {
  const random = new Random(core, seed, 77)
  return (window) => {
    const serving = window.telemetry.instances.filter(({ state }) => state === 'serving')
    return localiser
      .find(window)
      .map(() => ({ instance: serving[random.integer(serving.length)].name, because: 'start' }))
  }
}

/** name → { label, make(setup) }. */
export const ARMS = {
  none: { label: 'no control', make: () => NO_MITIGATION },
  fixed: { label: 'fixed ×2', make: ({ deployed }) => new FixedLimits(deployed, 2) },
  hpa: {
    label: 'HPA, 30 % CPU',
    make: ({ graph }) => {
      const least = new Map(graph.services.map(({ name, replicas }) => [name, replicas]))
      return new ReplicaAutoscaler({ target01: 0.3, least })
    },
  },
  aimd: { label: 'AIMD everywhere', make: ({ deployed, slosMs }) => new AimdEverywhere(deployed, { slosMs, ...AIMD }) },
  'aimd-generous': {
    label: 'AIMD everywhere, four times as fast',
    make: ({ deployed, slosMs }) => new AimdEverywhere(deployed, { slosMs, ...GENEROUS_AIMD }),
  },
  random: { label: 'random targets', make: (setup) => culprits(setup, [byChance(setup, localiserOf(setup))]) },
  truth: {
    label: 'true targets',
    make: (setup) => culprits(setup, [byTruthWhenLate(setup, localiserOf(setup))]),
  },
  localised: { label: 'localised', make: (setup) => culprits(setup, [byTraces(localiserOf(setup))]) },
  'localised-queue': {
    label: 'localised, own queues too',
    make: (setup) => culprits(setup, [byTraces(localiserOf(setup)), byOwnQueue]),
  },
  replace: {
    label: 'localised, then drain and replace',
    make: (setup) => culprits(setup, [byTraces(localiserOf(setup))], { replaceAfterSeconds: REPLACE_AFTER }),
  },
  default: {
    label: 'default: localised, own queues too, then drain and replace',
    make: (setup) => defaultRule(setup),
  },
  'scale-out': {
    label: 'default, and a sister replica at once',
    make: (setup) => new MovesPolicy(setup, () => SCALE_OUT),
  },
  queue: { label: 'queue rule, without traces', make: (setup) => culprits(setup, [byOwnQueue]) },
  oracle: { label: 'oracle of limits', make: (setup) => culprits(setup, [byTruth(setup)]) },
  limits: {
    label: 'agent of limits',
    make: (setup) => {
      const agent = loadPolicy(setup.core, setup.learned)
      return culprits(setup, [byTraces(localiserOf(setup))], { estimatorOf: () => agent, action: CONTINUOUS_ACTION })
    },
  },
  moves: { label: 'agent of moves', make: movesPolicy },
  foresight: { label: 'agent of foresight', make: foresightPolicy },
}

export const policyOf = (arm, setup) => ARMS[arm].make(setup)
