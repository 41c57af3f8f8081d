import { type Core, createCore, type Transition } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  Adaptation,
  createBaseLearner,
  createMetaLearner,
  evaluate,
  LocalShards,
  type MetaLearner,
  openPretraining,
  PRETRAINING,
  type Pretraining,
  PretrainingShard,
  pairsOfShard,
  type SharedAgent,
} from '../../src/index.js'
import { withPrefix } from '../../src/meta/tensors.js'
import { HiddenTarget } from './hidden-target.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

// On one side of where the untaught policy aims: a value names no action, it tells near from far, not left from right.
const TARGETS = Array.from({ length: 16 }, (_, i) => (0.95 * i) / 15)
const EPISODE = 20

function makeAgent(partitions: number): SharedAgent {
  const { observation, action } = new HiddenTarget(core, 0)
  const options = {
    ...{ hidden: [32, 32], rolloutSteps: EPISODE, miniBatchSize: 64, discount: 0 },
    valueLearningRate: 3e-3,
  }
  const base = { algorithm: 'ppo', preset: 'default', options }
  return createBaseLearner(core, { task: 't', base, observation, action, contextSize: 4, partitions, seed: 1 })
}

function makeMeta(): MetaLearner {
  const { observation, action } = new HiddenTarget(core, 0)
  const options = { hiddenSize: 32, dense: [4], drawSteps: EPISODE, learningRate: 3e-3 }
  const meta = createMetaLearner(core, { seed: 2, options })
  meta.registerBaseLearner('hidden-target', { kind: 'rl', observation, action })
  return meta
}

const makeShard = (shard: number, shards: number): PretrainingShard =>
  new PretrainingShard(core, {
    agent: makeAgent(TARGETS.length / shards),
    meta: makeMeta(),
    pairs: pairsOfShard(TARGETS.length, shard, shards).map((i) => ({
      name: `${i}`,
      environment: new HiddenTarget(core, TARGETS[i]!),
    })),
    options: { ...PRETRAINING, pairsPerUpdate: 8 },
    seed: 10 + shard,
  })

async function run(pretraining: Pretraining, rounds: number): Promise<Pretraining> {
  for (let i = 0; i < rounds; i++) await pretraining.round()
  return pretraining
}

const open = (shards: number): Promise<Pretraining> =>
  openPretraining(new LocalShards(shards, (shard) => makeShard(shard, shards)))

describe('PPO as the base learner of a pool', () => {
  it('is told by one random episode where a hidden target lies', async () => {
    const { learned } = await run(await open(1), 120)
    const outcomes = [0.05, 0.25, 0.45, 0.65, 0.85].map((target, i) => {
      const environment = new HiddenTarget(core, target)
      const agent = makeAgent(1)
      using meta = makeMeta()
      agent.setLearned(withPrefix(learned, 'agent.'))
      meta.setLearned(withPrefix(learned, 'meta.'))
      using adaptation = new Adaptation(core, { agent, meta, environment, seed: i })
      const judge = (): number => evaluate(agent, environment, { seeds: [1, 2] }).rewardPerStep
      const before = judge()
      adaptation.episode()
      const after = judge()
      agent.dispose()
      return { before, after }
    })
    const mean = (of: (one: { before: number; after: number }) => number): number =>
      outcomes.reduce((sum, one) => sum + of(one), 0) / outcomes.length
    expect(mean((one) => one.before)).toBeLessThan(0.8) // one action for all earns .76
    expect(mean((one) => one.after)).toBeGreaterThan(0.85) // measured .90, before .74
  })

  it('goes on after a kill as if nothing had happened, to the byte', async () => {
    const whole = await run(await open(2), 4)
    const saved = await whole.save()
    await run(whole, 2)
    const resumed = await open(2)
    await resumed.load(saved)
    await run(resumed, 2)
    expect(Buffer.compare(await resumed.save(), await whole.save())).toBe(0)
  })
})

describe('an on-policy learner', () => {
  /** Acts by zeros; notes the pairs of what it observes and of each update. */
  class Witness {
    readonly isOnPolicy = true
    readonly contextSize = 4
    readonly observed: number[] = []
    readonly updated: number[][] = []

    explore(_observation: Float32Array, out: Float32Array): void {
      out.fill(0)
    }

    setContext(): void {}

    observe(_transition: Transition, partition = 0): void {
      this.observed.push(partition)
    }

    endEpisode(): void {}

    updatePairs(partitions: Int32Array): { updates: number; skipped: number } {
      this.updated.push([...partitions])
      return { updates: 1, skipped: 0 }
    }
  }
  const asAgent = (witness: Witness): SharedAgent => witness as unknown as SharedAgent

  it('learns from each pair once a round and from no random episode', () => {
    const witness = new Witness()
    const pairs = TARGETS.slice(0, 5).map((target, i) => ({
      ...{ name: `${i}`, environment: new HiddenTarget(core, target), embedding: new Float32Array(4) },
    }))
    const options = { ...PRETRAINING, pairsPerUpdate: 2, randomEpisodes: 1 }
    const shard = new PretrainingShard(core, { agent: asAgent(witness), pairs, options, seed: 1 })
    shard.round()
    expect(witness.observed).toHaveLength(0)
    witness.updated.length = 0
    shard.round()
    expect(witness.observed).toHaveLength(5 * EPISODE)
    expect(witness.updated.map((group) => group.length)).toEqual([2, 2, 1])
    expect(witness.updated.flat().toSorted()).toEqual([0, 1, 2, 3, 4])
    shard.dispose()
  })

  it('does not observe the random episode that tells an adaptation where it is', () => {
    const witness = new Witness()
    using meta = makeMeta()
    using adaptation = new Adaptation(core, {
      ...{ agent: asAgent(witness), meta, environment: new HiddenTarget(core, 0.3), seed: 1 },
      options: { randomActions: 0.5 },
    })
    adaptation.episode()
    expect(witness.observed).toHaveLength(0)
    expect(witness.updated).toHaveLength(0)
    adaptation.episode()
    expect(witness.observed).toHaveLength(EPISODE)
  })
})
