// Base learners of the experiments: DDPG and DQN on the bare kernels of the core, PPO as it is in learn.
import { floatTensor, Random, TensorReader } from '@trimtab/core'
import { DdpgKernel, DqnKernel } from '@trimtab/core/internal'
import { createPpo, ExplorationNoise, scheduleValue } from '@trimtab/learn'

/** What the phases ask of either algorithm. Learning rates: of the actor and of the critic; DQN has the latter only. */
export const PHASES = {
  pretraining: { batchSize: 256, capacity: 2000, learningRates: [3e-4, 1e-3], exploration: [0.2, 0.2, 1] }, // capacity: of each pair
  /** One pair alone, one update a step. */
  adapting: { batchSize: 64, capacity: 20_000, learningRates: [5e-4, 1e-3] },
  /** One pair alone from the start, for others to start from. */
  source: { batchSize: 64, capacity: 20_000, learningRates: [5e-4, 1e-3] },
  /** From a shared policy on, in smaller steps: it is nearly right already. */
  finetuning: { batchSize: 64, capacity: 20_000, learningRates: [1e-4, 5e-4] },
}

/** PPO's steps over the phases, of the policy and of the value network. */
const PPO_PHASES = {
  pretraining: { miniBatchSize: 512, epochs: 5, policyLearningRate: 5e-4, valueLearningRate: 1e-3 },
  source: { miniBatchSize: 64, policyLearningRate: 3e-4, valueLearningRate: 3e-4, episodes: 5 }, // by single ones some never learn
  adapting: { miniBatchSize: 64, policyLearningRate: 3e-4, valueLearningRate: 1e-3 },
  finetuning: { miniBatchSize: 64, policyLearningRate: 1e-4, valueLearningRate: 5e-4 },
}

const PAIRS_PER_UPDATE = 8

/** @param exploration  deviation of the noise (DDPG) or share of random actions (DQN): [from, to, over so many episodes] */
export function createLearner(
  core,
  task,
  { phase, contextSize = 0, partitions = 1, exploration, seed, overrides = {} },
) {
  if (task.baseLearner.algorithm === 'ppo') {
    return new PpoLearner(core, task, { phase, contextSize, partitions, exploration, seed, overrides })
  }
  const { exploration: usual, learningRates, ...sizes } = { ...PHASES[phase], ...overrides }
  const [from, to, episodes] = exploration ?? usual
  const options = {
    ...{ ...sizes, contextSize, partitions, maxGroups: PAIRS_PER_UPDATE, seed },
    stateSize: task.observation.names.length,
    hidden: task.baseLearner.options.hidden ?? [64, 64],
    discount: 0.9,
    targetRate: 5e-3,
  }
  const schedule = { kind: 'episodes', from, to, episodes }
  const { rewardBaseline = 0 } = task.baseLearner.options
  return task.action.kind === 'discrete'
    ? new DqnLearner(core, task, { ...options, learningRate: learningRates[1] }, schedule, rewardBaseline)
    : new DdpgLearner(core, task, { ...options, learningRates }, schedule, rewardBaseline)
}

/**
 * PPO whose rollout is an episode of every pair, or five of a source. It explores by the deviation that it learns; an exploration that decays
 * means that a converged agent gets back the deviation it began with.
 */
class PpoLearner {
  #agent
  #restoredLogDeviation

  constructor(core, task, { phase, contextSize, partitions, exploration, seed, overrides }) {
    const { baseLearner, observation, action, episodeSteps } = task
    const { episodes = 1, ...steps } = PPO_PHASES[phase]
    this.isOnPolicy = true
    this.contextSize = contextSize
    this.#agent = createPpo(core, {
      ...{ observation, action, contextSize, partitions, seed, preset: baseLearner.preset },
      options: {
        ...baseLearner.options,
        ...steps,
        rolloutSteps: episodes * episodeSteps * partitions,
        ...overrides,
      },
    })
    const isRestored = exploration !== undefined && exploration[0] > exploration[1]
    if (isRestored) this.#restoredLogDeviation = core.math.log(this.#agent.options.initialDeviation)
  }

  decide(observation, out) {
    this.#agent.decide(observation, out)
  }

  explore(observation, out) {
    this.#agent.explore(observation, out)
  }

  endEpisode(partition) {
    this.#agent.endEpisode(partition)
  }

  setContext(z) {
    this.#agent.setContext(z)
  }

  observe(transition, partition) {
    this.#agent.observe(transition, partition)
  }

  updatePairs(partitions, given, encoder) {
    return this.#agent.updatePairs(partitions, given, encoder)
  }

  learned() {
    return this.#agent.learned()
  }

  /** A Gaussian policy's parameters end with its log deviations. */
  setLearned(tensors) {
    const actions = this.#agent.header.action.names.length
    const restored = ({ name, shape }) => {
      const values = new TensorReader(tensors).floats(name, shape)
      return floatTensor(name, shape, values.fill(this.#restoredLogDeviation, values.length - actions))
    }
    const isPolicy = ({ name }) => this.#restoredLogDeviation !== undefined && name === 'policy'
    this.#agent.setLearned(tensors.map((tensor) => (isPolicy(tensor) ? restored(tensor) : tensor)))
  }

  dispose() {
    this.#agent.dispose()
  }
}

/** DDPG that keeps out of saturation, which is where a shared actor ends otherwise. */
class DdpgLearner {
  #kernel
  #noise
  #draw
  #rewardBaseline

  constructor(core, task, { learningRates, ...options }, schedule, rewardBaseline) {
    const actionSize = task.action.names.length
    const [actorLearningRate, criticLearningRate] = learningRates
    this.contextSize = options.contextSize
    this.#rewardBaseline = rewardBaseline
    this.#kernel = new DdpgKernel(core, {
      ...{ ...options, actionSize, actorLearningRate, criticLearningRate, saturationPenalty: 0.05 },
      ...{ averageRate: 0, weightDecay: 0, maxGradientNorm: 0, outputPenalty: 0, cloningWeight: 0 },
    })
    const process = { kind: 'gaussian', deviation: 1 }
    this.#noise = new ExplorationNoise(core, actionSize, { process, schedule }, options.seed)
    this.#draw = new Float32Array(actionSize)
  }

  decide(observation, out) {
    this.#kernel.act(observation, out)
  }

  explore(observation, out) {
    this.#kernel.act(observation, out)
    this.#noise.sample(this.#draw)
    for (let i = 0; i < out.length; i++) out[i] = Math.min(1, Math.max(-1, out[i] + this.#draw[i]))
  }

  endEpisode() {
    this.#noise.endEpisode()
  }

  setContext(z) {
    this.#kernel.setContext(z)
  }

  observe({ observation, action, reward, nextObservation, terminated }, partition = 0) {
    this.#kernel.insert(
      ...[observation, action, reward - this.#rewardBaseline, nextObservation, terminated, undefined, partition],
    )
  }

  updatePairs(partitions, given, encoder) {
    this.#kernel.updatePairs(partitions, given, encoder)
    return this.#kernel.report()
  }

  learned() {
    return this.#kernel.learned()
  }

  setLearned(tensors) {
    this.#kernel.setLearned(tensors)
  }

  dispose() {
    this.#kernel.dispose()
    this.#noise.dispose()
  }
}

/** Double DQN with a soft target; explores by random actions. */
class DqnLearner {
  #kernel
  #random
  #schedule
  #episodes = 0
  #rewardBaseline

  constructor(core, task, options, schedule, rewardBaseline) {
    this.contextSize = options.contextSize
    this.actions = task.action.high[0] + 1
    this.#kernel = new DqnKernel(core, { ...options, actions: this.actions })
    this.#random = new Random(core, options.seed, 11)
    this.#schedule = schedule
    this.#rewardBaseline = rewardBaseline
  }

  decide(observation, out) {
    out[0] = this.#kernel.best(observation)
  }

  explore(observation, out) {
    const isRandom = this.#random.uniform() < scheduleValue(this.#schedule, this.#episodes, 0)
    out[0] = isRandom ? this.#random.integer(this.actions) : this.#kernel.best(observation)
  }

  endEpisode() {
    this.#episodes++
  }

  setContext(z) {
    this.#kernel.setContext(z)
  }

  observe({ observation, action, reward, nextObservation, terminated }, partition = 0) {
    this.#kernel.insert(
      ...[observation, action[0], reward - this.#rewardBaseline, nextObservation, terminated, partition],
    )
  }

  updatePairs(partitions, given, encoder) {
    this.#kernel.updatePairs(partitions, given, encoder)
    return this.#kernel.report()
  }

  learned() {
    return ['online', 'target'].map((net) => {
      const parameters = this.#kernel.parameters(net)
      return floatTensor(net, [parameters.length], parameters)
    })
  }

  setLearned(tensors) {
    const reader = new TensorReader(tensors)
    for (const { name, shape } of tensors) this.#kernel.setParameters(name, reader.floats(name, shape))
  }

  dispose() {
    this.#kernel.dispose()
    this.#random.dispose()
  }
}
