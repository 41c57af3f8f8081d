// Adapting to pairs that the pool did not hold, beside learning from scratch.
import { ConfigError, type Core, createCore } from '@trimtab/core'
import { Adaptation, createBaseLearner, evaluate, type PretrainedModel, type SharedAgent } from '@trimtab/learn'
import type { ControlTask } from '@trimtab/tasks'
import type { EvaluationRecord } from './records.js'

/** How a learner comes to a new pair: with what a pool taught, or with nothing. */
export const ADAPTATION_METHODS = ['pretrained', 'scratch'] as const

/** One of `ADAPTATION_METHODS`. */
export type AdaptationMethod = (typeof ADAPTATION_METHODS)[number]

/** Which pairs are adapted to, and how. */
export interface AdaptRequest {
  /** Number of the first pair; not one of the pool that taught the model. */
  readonly first: number
  readonly pairs: number
  /** Episodes of each pair. */
  readonly episodes: number
  readonly methods: readonly AdaptationMethod[]
  readonly seed: number
}

const SEEDS = [920_001, 920_002, 920_003] // loads that nobody learns from

/**
 * Brings a pretrained model to pairs that its pool did not hold, beside learning from scratch (5.6.1). Every pair with every
 * method, judged without exploration before each episode; yields as it measures.
 *
 * @throws {ConfigError} `task_mismatch` (the model was pretrained for another task); what the task's pool refuses
 * @example
 * const request = { first: 1, pairs: 5, episodes: 10, methods: ADAPTATION_METHODS, seed: 1 }
 * for await (const { method, episode, reward } of adapt(findTask('autoscaling'), model, request)) console.log(method, episode, reward)
 */
export async function* adapt(
  task: ControlTask,
  model: PretrainedModel,
  request: AdaptRequest,
): AsyncGenerator<EvaluationRecord> {
  if (model.header.task !== task.name) {
    throw new ConfigError('task_mismatch', `the model was pretrained for ${model.header.task}, not for ${task.name}`)
  }
  const core = await createCore()
  for (let pair = request.first; pair < request.first + request.pairs; pair++) {
    for (const method of request.methods) yield* adaptOne(core, task, model, request, pair, method)
  }
}

function* adaptOne(
  core: Core,
  task: ControlTask,
  model: PretrainedModel,
  { episodes, seed }: AdaptRequest,
  pair: number,
  method: AdaptationMethod,
): Generator<EvaluationRecord> {
  const environment = task.environment(core, task.pool(core, pair, 1)[0])
  const agent = method === 'pretrained' ? model.createAgent(core, { seed }) : fromScratch(core, task, model, seed)
  const meta = method === 'pretrained' ? model.createMetaLearner(core) : undefined
  const adaptation = new Adaptation(core, {
    ...{ agent, environment, seed: seed + pair, ...(meta && { meta }) },
    options: method === 'pretrained' ? { firstEpisode: 'policy' } : { waitEpisodes: 0 },
  })
  try {
    for (let episode = 0; episode <= episodes; episode++) {
      const reward = evaluate(agent, environment, { seeds: SEEDS }).rewardPerStep
      yield { event: 'evaluation', pair: `pair-${pair}`, seed, method, episode, reward }
      if (episode < episodes) adaptation.episode()
    }
  } finally {
    for (const one of [adaptation, agent, environment]) one.dispose()
    meta?.dispose()
  }
}

function fromScratch(
  core: Core,
  { name, baseLearner }: ControlTask,
  model: PretrainedModel,
  seed: number,
): SharedAgent {
  const { observation, action, meta } = model.header
  return createBaseLearner(core, {
    task: name,
    base: baseLearner,
    observation,
    action,
    contextSize: meta.dense.at(-1)!,
    seed,
  })
}
