// Jobs of the worker pool. Each depends on its input alone: the results are the same for any number of workers.
import { createCore, Random } from '@trimtab/core'
import { Adaptation, createMetaLearner, evaluate, PRETRAINING, PretrainingShard } from '@trimtab/learn'
import { findTask } from '@trimtab/tasks'
import { TransferFeatures } from '@trimtab/tasks/autoscaling'
import { FixedRate } from '@trimtab/tasks/congestion-control'
import { createLearner } from './learner.mjs'
import { FIRST_PAIR } from './pairs.mjs'
import { mean } from './protocol.mjs'

const core = await createCore()

/** Episodes on which every policy is judged; no policy ever trains on them. */
const EVALUATION_SEEDS = [900_001, 900_002, 900_003, 900_004]

const zeros = (n) => new Float32Array(n)

/**
 * Pretrains a shared policy on a pool.
 * @param context  none: zeros; parameters: the true ones; learned: by an encoder that is trained along
 */
export function pretrain({
  task: name,
  seed,
  pool,
  rounds,
  context,
  preset = 'set',
  recipe = {},
  overrides = {},
  metaOptions,
}) {
  const task = findTask(name)
  const specs = task.pool(core, FIRST_PAIR(seed, name), pool)
  const parameters = specs.map((spec) => task.parameters(core, spec))
  const meta = context === 'learned' ? createMetaLearner(core, { preset, seed, options: metaOptions }) : undefined
  meta?.registerBaseLearner(name, { kind: 'rl', observation: task.observation, action: task.action })
  const contextSize = meta?.embeddingSize ?? parameters[0].length
  const agent = createLearner(core, task, { phase: 'pretraining', contextSize, partitions: pool, seed, overrides })
  const pairs = specs.map((spec, i) => ({
    name: `${i}`,
    environment: task.environment(core, spec),
    ...(context === 'none' && { embedding: zeros(contextSize) }),
    ...(context === 'parameters' && { embedding: parameters[i] }),
  }))
  const shard = new PretrainingShard(core, { agent, meta, pairs, options: { ...PRETRAINING, ...recipe }, seed })
  const rewards = []
  for (let round = 0; round < rounds; round++) rewards.push(shard.round().reward)
  const result = { learned: shard.learned(), embeddings: shard.embeddings(), rewards, contextSize }
  for (const pair of pairs) pair.environment.dispose()
  agent.dispose()
  meta?.dispose()
  return result
}

/** Trains one app of the pool from scratch until it has converged: what transfer learning starts from. */
export function trainSource({ task: name, seed, index, episodes, isPlus }) {
  const task = findTask(name)
  const [spec] = task.pool(core, FIRST_PAIR(seed, name) + index, 1)
  const environment = makeEnvironment(task, spec, isPlus)
  const agent = createLearner(core, withSpaces(task, environment), {
    phase: 'source',
    exploration: [0.4, 0.15, episodes / 2],
    seed: seed + 100 * index,
  })
  const adaptation = new Adaptation(core, { agent, environment, seed: seed + index })
  for (let e = 0; e < episodes; e++) adaptation.episode()
  const learned = agent.learned().map((tensor) => ({ ...tensor, name: `agent.${tensor.name}` }))
  const result = { learned, reward: judge(environment, agent) }
  environment.dispose()
  agent.dispose()
  return result
}

/** TL+ sees a forecast and a table beside the state. */
const makeEnvironment = (task, spec, isPlus) =>
  isPlus ? new TransferFeatures(task.environment(core, spec)) : task.environment(core, spec)

const withSpaces = (task, { observation, action }) => ({ ...task, observation, action })

/** Judging is no experience: what it writes into the table of TL+ is forgotten. */
function judge(environment, agent) {
  const before = environment instanceof TransferFeatures ? environment.save() : undefined
  const reward = evaluate(agent, environment, { seeds: EVALUATION_SEEDS }).rewardPerStep
  if (before) environment.load(before)
  return reward
}

/** Adapts to one app that was not in the pool and judges the policy before each episode. */
export function adapt({
  task: name,
  seed,
  app,
  cap,
  phase,
  start,
  contextSize,
  context,
  preset = 'set',
  exploration,
  options,
  isPlus,
  overrides = {},
  metaOptions,
}) {
  const task = findTask(name)
  const [spec] = task.pool(core, app, 1)
  const environment = makeEnvironment(task, spec, isPlus)
  const agent = createLearner(core, withSpaces(task, environment), { phase, contextSize, exploration, seed, overrides })
  const meta = context === 'learned' ? createMetaLearner(core, { preset, seed, options: metaOptions }) : undefined
  meta?.registerBaseLearner(name, { kind: 'rl', observation: task.observation, action: task.action })
  load(start, agent, meta)
  const embedding = context === 'parameters' ? task.parameters(core, spec) : undefined
  const adaptation = new Adaptation(core, { agent, meta, embedding, environment, options, seed: seed + app })
  const curve = [judge(environment, agent)]
  const embeddings = [adaptation.embedding]
  for (let e = 0; e < cap; e++) {
    adaptation.episode()
    curve.push(judge(environment, agent))
    embeddings.push(adaptation.embedding)
  }
  environment.dispose()
  agent.dispose()
  meta?.dispose()
  return { curve, embedding: embeddings.at(-1), probed: embeddings[1] }
}

function load(tensors, agent, meta) {
  const part = (prefix) =>
    tensors.filter((t) => t.name.startsWith(prefix)).map((t) => ({ ...t, name: t.name.slice(prefix.length) }))
  if (!tensors) return
  agent.setLearned(part('agent.'))
  meta?.setLearned(part('meta.'))
}

/** The best constant action of an app: coarse random search, then each coordinate in turn; of a sender, the best constant rate. */
export function searchConstant({ task: name, app, tries = 150 }) {
  const task = findTask(name)
  const [spec] = task.pool(core, app, 1)
  const environment = task.environment(core, spec)
  const worth = (action, seeds) =>
    evaluate({ name: 'constant', decide: (_, out) => out.set(action) }, environment, { seeds }).rewardPerStep
  const result =
    task.action.names[0] === 'rateChange'
      ? bestRate(environment)
      : task.action.kind === 'discrete'
        ? Math.max(...Array.from({ length: task.action.high[0] + 1 }, (_, i) => worth([i], EVALUATION_SEEDS)))
        : searchBox(task.action.names.length, worth, tries, app)
  environment.dispose()
  return result
}

/** Rates on a log scale of 5 … 20,000 packets per second. */
function bestRate(environment) {
  const rates = Array.from({ length: 33 }, (_, i) => 5 * 4000 ** (i / 32))
  return Math.max(...rates.map((rate) => judge(environment, new FixedRate(environment, rate))))
}

/** What the task's rule of thumb earns on an app. */
export function judgeRule({ task: name, app }) {
  const task = findTask(name)
  const [spec] = task.pool(core, app, 1)
  const environment = task.environment(core, spec)
  const rule = task.fallback(core, environment)
  const reward = mean(EVALUATION_SEEDS.map((seed) => evaluate(rule, environment, { seeds: [seed] }).rewardPerStep))
  environment.dispose()
  return reward
}

function searchBox(size, worth, tries, seed) {
  const random = new Random(core, seed, 7)
  const draw = () => Float32Array.from({ length: size }, () => 2 * random.uniform() - 1)
  const candidates = Array.from({ length: tries }, draw).map((action) => ({
    action,
    reward: worth(action, EVALUATION_SEEDS.slice(0, 1)),
  }))
  let best = candidates.reduce((a, b) => (b.reward > a.reward ? b : a))
  best = { ...best, reward: worth(best.action, EVALUATION_SEEDS) }
  for (let step = 0.3; step > 0.03; step /= 2) {
    for (let i = 0; i < size; i++) {
      for (const sign of [-1, 1]) {
        const action = best.action.slice()
        action[i] = Math.min(1, Math.max(-1, action[i] + sign * step))
        const reward = worth(action, EVALUATION_SEEDS)
        if (reward > best.reward) best = { action, reward }
      }
    }
  }
  random.dispose()
  return best.reward
}

/**
 * Adapts to one app and then serves the result, embedding and all, on every app: what moving a policy from one to another costs.
 * @returns z of the app, after the random episode and at the end, and the mean reward on each app
 */
export function serveElsewhere({ task: name, seed, app, apps, episodes, start, contextSize, exploration }) {
  const task = findTask(name)
  const environmentOf = (number) => task.environment(core, task.pool(core, number, 1)[0])
  const environment = environmentOf(app)
  const agent = createLearner(core, task, { phase: 'finetuning', contextSize, exploration, seed })
  const meta = createMetaLearner(core, { seed })
  meta.registerBaseLearner(name, { kind: 'rl', observation: task.observation, action: task.action })
  load(start, agent, meta)
  const adaptation = new Adaptation(core, { agent, meta, environment, seed: seed + app })
  adaptation.episode()
  const probed = adaptation.embedding
  for (let e = 1; e < episodes; e++) adaptation.episode()
  const rewards = apps.map((number) => {
    const elsewhere = environmentOf(number)
    const reward = judge(elsewhere, agent)
    elsewhere.dispose()
    return reward
  })
  const z = adaptation.embedding
  for (const one of [environment, agent, meta, adaptation]) one.dispose()
  return { app, z, probed, rewards }
}
