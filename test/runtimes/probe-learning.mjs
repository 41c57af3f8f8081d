// Every learner on every runtime: each function trains one in miniature and returns the bytes that it saves.
import { Random } from '@trimtab/core'
import {
  boxSpace,
  createBcq,
  createDdpg,
  createDqn,
  createMetaLearner,
  createPpo,
  createRegressor,
  discreteSpace,
  LocalShards,
  openPretraining,
  PRETRAINING,
  PretrainingShard,
  pairsOfShard,
} from '@trimtab/learn'

const SEED = 20_260
const STEPS = 64
const OBSERVATION = boxSpace(['level', 'change', 'noise'])
const CHOICES = discreteSpace('move', 4)
const LIMITS = boxSpace(['cpu', 'replicas'])
const HIDDEN = [16, 16]

/** Drifts without end; the nearer the action's sum to a target, the higher the reward. */
class Drift {
  observation = OBSERVATION
  action
  #random
  #target
  #steps = 0

  constructor(core, action, target) {
    this.#random = new Random(core, SEED)
    this.action = action
    this.#target = target
  }

  reset(seed) {
    this.#random.reseed(seed)
    this.#steps = 0
    return this.#observe()
  }

  step(action) {
    this.#steps++
    const sum = action.reduce((all, one) => all + one)
    return {
      observation: this.#observe(),
      reward: 1 - Math.abs(sum - this.#target),
      terminated: false,
      truncated: this.#steps >= STEPS,
      info: {},
    }
  }

  #observe() {
    return Float32Array.from(OBSERVATION.names, () => this.#random.uniform() * 2 - 1)
  }
}

/** One episode in which the agent explores and learns; what it saves. */
function trainAgent(core, agent, action) {
  const environment = new Drift(core, action, 0.5)
  let observation = environment.reset(SEED)
  for (let ended = false; !ended; ) {
    const chosen = new Float32Array(action.names.length)
    agent.explore(observation, chosen)
    const { observation: nextObservation, reward, terminated, truncated } = environment.step(chosen)
    agent.observe({ observation, action: chosen, reward, nextObservation, terminated })
    agent.update()
    observation = nextObservation
    ended = truncated
  }
  agent.endEpisode()
  return agent.save()
}

const setup = (action, options) => ({ observation: OBSERVATION, action, seed: SEED, options })
const REPLAY = { hidden: HIDDEN, batchSize: 16, capacity: 2 * STEPS, warmUp: 16 }

export const trainDqn = (core) => trainAgent(core, createDqn(core, setup(CHOICES, REPLAY)), CHOICES)
export const trainBcq = (core) => trainAgent(core, createBcq(core, setup(LIMITS, REPLAY)), LIMITS)

/** A rollout of a box's Gaussian policy and one of a discrete policy, an update each. */
export function trainPpo(core) {
  const options = { hidden: HIDDEN, rolloutSteps: STEPS, miniBatchSize: 16, epochs: 2 }
  return Uint8Array.from(
    [LIMITS, CHOICES].flatMap((action) => [...trainAgent(core, createPpo(core, setup(action, options)), action)]),
  )
}

export function fitRegressor(core) {
  const random = new Random(core, SEED, 3)
  const x = Float32Array.from({ length: 2 * STEPS }, () => random.normal())
  const y = Float32Array.from({ length: STEPS }, (_, i) => x[2 * i] * x[2 * i + 1] + 0.1 * random.normal())
  const options = { hidden: HIDDEN, batchSize: 16, epochs: 10, dropout: 0.1 }
  const regressor = createRegressor(core, { features: ['a', 'b'], options, seed: SEED })
  regressor.fit(x, y)
  return regressor.save()
}

const PAIRS = 4
const SHARDS = 2

function createShard(core, kind, shard) {
  const environments = pairsOfShard(PAIRS, shard, SHARDS).map((i) => [`${i}`, new Drift(core, LIMITS, i / PAIRS)])
  const [contextSize, maxGroups] = [3, 2]
  const meta = createMetaLearner(core, {
    options: { kind, hiddenSize: 12, layers: 2, dense: [contextSize], dropout: 0.1, drawSteps: 12 },
    maxContexts: maxGroups,
    seed: SEED,
  })
  meta.registerBaseLearner('drift', { kind: 'rl', observation: OBSERVATION, action: LIMITS })
  const partitions = environments.length
  return new PretrainingShard(core, {
    agent: createDdpg(core, {
      ...setup(LIMITS, { ...REPLAY, calibrationSteps: 0 }),
      contextSize,
      partitions,
      maxGroups,
    }),
    meta,
    pairs: environments.map(([name, environment]) => ({ name, environment })),
    options: { ...PRETRAINING, pairsPerUpdate: maxGroups, randomEpisodes: 1 },
    seed: SEED + shard,
  })
}

/** Base learner and encoder (`set` or `gru`) together, two shards, three rounds. */
export async function pretrain(core, kind) {
  const pretraining = await openPretraining(new LocalShards(SHARDS, (shard) => createShard(core, kind, shard)))
  for (let round = 0; round < 3; round++) await pretraining.round()
  return pretraining.save()
}
