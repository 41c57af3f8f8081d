// Adapting to pairs that the pool did not hold, beside learning from scratch.
import { type Core, createCore } from '@trimtab/core'
import { Adaptation, createBaseLearner, evaluate, type PretrainedModel, type SharedAgent } from '@trimtab/learn'
import { findTask } from '@trimtab/tasks'
import type { EvaluationRecord } from './records.js'

export const METHODS = ['pretrained', 'scratch'] as const
export type AdaptationMethod = (typeof METHODS)[number]

export interface AdaptRequest {
  readonly first: number
  readonly pairs: number
  readonly episodes: number
  readonly methods: readonly AdaptationMethod[]
  readonly seed: number
}

const SEEDS = [920_001, 920_002, 920_003] // loads that nobody learns from

/** Every pair with every method; judged without exploration before each episode. Yields as it measures. */
export async function* adaptAll(model: PretrainedModel, request: AdaptRequest): AsyncGenerator<EvaluationRecord> {
  const core = await createCore()
  for (let pair = request.first; pair < request.first + request.pairs; pair++) {
    for (const method of request.methods) yield* adaptOne(core, model, request, pair, method)
  }
}

function* adaptOne(
  core: Core,
  model: PretrainedModel,
  { episodes, seed }: AdaptRequest,
  pair: number,
  method: AdaptationMethod,
): Generator<EvaluationRecord> {
  const task = findTask(model.header.task)
  const environment = task.environment(core, task.pool(core, pair, 1)[0])
  const agent = method === 'pretrained' ? model.createAgent(core, { seed }) : fromScratch(core, model, seed)
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

function fromScratch(core: Core, model: PretrainedModel, seed: number): SharedAgent {
  const { task, observation, action, meta } = model.header
  const base = findTask(task).baseLearner
  return createBaseLearner(core, { task, base, observation, action, contextSize: meta.dense.at(-1)!, seed })
}
