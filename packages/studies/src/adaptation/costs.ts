// What it costs to serve one pair by what another taught: measured within the pool, so that it can be foretold outside.
import { type Core, Random } from '@trimtab/core'
import {
  Adaptation,
  type CostSample,
  evaluate,
  type PoolEmbedding,
  type PretrainedModel,
  similarity,
} from '@trimtab/learn'
import type { ControlTask } from '@trimtab/tasks'
import type { PoolSetup } from './pool.js'

const SAMPLES = 24
const MOST_EPISODES = 10
const GOOD_ENOUGH = 0.95 // of what the pair's own embedding earns
const SEEDS = [910_001, 910_002] // loads that nobody learned from
const STREAM = 21

/** What the pool's own pairs cost each other. */
export interface Costs {
  /** Share of the reward that is missing at first. */
  readonly drops: readonly CostSample[]
  /** Episodes of fine-tuning until 95 % of it is there. */
  readonly episodes: readonly CostSample[]
}

/** Serves pairs of the pool by each other's embeddings, then fine-tunes. The same pool gives the same costs. */
export function measureCosts(core: Core, task: ControlTask, setup: PoolSetup, model: PretrainedModel): Costs {
  const random = new Random(core, setup.seed, STREAM)
  const specs = task.pool(core, setup.first, setup.pairs)
  const drops: CostSample[] = []
  const episodes: CostSample[] = []
  for (let i = 0; i < SAMPLES && model.pool.length > 1; i++) {
    const own = random.integer(model.pool.length)
    const other = (own + 1 + random.integer(model.pool.length - 1)) % model.pool.length
    const [here, there] = [model.pool[own]!, model.pool[other]!]
    const environment = task.environment(core, specs[numberOf(here, setup)])
    const agent = model.createAgent(core, { seed: setup.seed + i })
    const earn = (z: Float32Array): number => {
      agent.setContext(z)
      return evaluate(agent, environment, { seeds: SEEDS }).rewardPerStep
    }
    const full = earn(here.z)
    const at = similarity(here.z, there.z)
    let reward = earn(there.z)
    drops.push({ similarity: at, cost: (full - reward) / Math.abs(full) })
    const adaptation = new Adaptation(core, {
      ...{ agent, environment, embedding: there.z, seed: setup.seed + i },
      options: { firstEpisode: 'policy', waitEpisodes: 0 },
    })
    while (reward < full - (1 - GOOD_ENOUGH) * Math.abs(full) && adaptation.episodes < MOST_EPISODES) {
      adaptation.episode()
      reward = earn(there.z)
    }
    episodes.push({ similarity: at, cost: adaptation.episodes })
    for (const one of [adaptation, agent, environment]) one.dispose()
  }
  random.dispose()
  return { drops, episodes }
}

/** Which of the pool's specs a pair is; embeddings come shard by shard. */
const numberOf = ({ name }: PoolEmbedding, { first }: PoolSetup): number => Number(name.split('-').at(-1)) - first
