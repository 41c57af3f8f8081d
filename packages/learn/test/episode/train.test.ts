import { type Agent, type Controller, type Core, createCore, Random, type Step, type Transition } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  boxSpace,
  createDdpg,
  createDqn,
  createPpo,
  createQTable,
  discreteSpace,
  type EpisodeSummary,
  evaluate,
  type TrainingEnvironment,
  type TrainOptions,
  train,
} from '../../src/index.js'
import { constant, Scripted, Tank } from './toys.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

/** A level that the action should meet: 1 of it is right where the load is high, 0 where it is low. */
class Follow implements TrainingEnvironment {
  readonly observation = boxSpace(['load'])
  readonly action
  readonly #random = new Random(core, 1)
  #load = 0
  #steps = 0

  constructor(isDiscrete: boolean) {
    this.action = isDiscrete ? discreteSpace('level', 3) : boxSpace(['level'])
  }
  reset(seed: number): Float32Array {
    this.#random.reseed(seed, 1)
    this.#steps = 0
    return this.#draw()
  }
  step(action: Float32Array): Step {
    const level = this.action.kind === 'discrete' ? action[0]! - 1 : action[0]!
    const reward = 1 - Math.abs(level - this.#load)
    return { observation: this.#draw(), reward, terminated: false, truncated: ++this.#steps === 50, info: {} }
  }
  #draw(): Float32Array {
    this.#load = this.#random.integer(3) - 1
    return Float32Array.of(this.#load)
  }
}

/** Learns nothing, and remembers what it was told. */
function spy(says: number): Agent & { learned: Transition[]; calls: string[] } {
  const learned: Transition[] = []
  const calls: string[] = []
  return {
    ...{ name: 'spy', contextSize: 0, explorationScale: 1, explorationLevel: 0, learned, calls },
    decide: (_, out) => void out.fill(says),
    explore: (_, out) => void out.fill(says),
    observe: (t) => void learned.push({ ...t, action: t.action.slice(), observation: t.observation.slice() }),
    update: () => {
      calls.push('update')
      return { updates: 0, skipped: 0, criticLoss: 0, actorLoss: 0, meanQ: 0 }
    },
    endEpisode: () => void calls.push('endEpisode'),
    setContext() {},
    save: () => new Uint8Array(),
    load() {},
    dispose() {},
  }
}

describe('train', () => {
  const families: [string, (world: Follow) => Agent, boolean][] = [
    ['Ddpg', ({ observation, action }) => createDdpg(core, { observation, action, seed: 1 }), false],
    ['Ppo', ({ observation, action }) => createPpo(core, { observation, action, seed: 1 }), false],
    ['Dqn', ({ observation, action }) => createDqn(core, { observation, action, seed: 1 }), true],
    ['QTable', ({ observation, action }) => createQTable(core, { observation, action, seed: 1 }), true],
    ['Ppo of choices', ({ observation, action }) => createPpo(core, { observation, action, seed: 1 }), true],
  ]
  it.each(families)(
    'makes %s better than it was, with default options, on an environment that cannot be cloned',
    (_name, make, isDiscrete) => {
      const world = new Follow(isDiscrete)
      const agent = make(world)
      const before = evaluate(agent, world).mean
      const { rewards, steps, sources } = train(agent, world, { episodes: 120 })
      expect([rewards.length, steps, sources]).toEqual([120, 6000, { agent: 6000, rule: 0, hold: 0 }])
      const { mean } = evaluate(agent, world)
      expect(mean).toBeGreaterThan(before)
      expect(mean).toBeGreaterThan(25) // of 50; a third right and no choice far off is 16.7
      agent.dispose()
    },
  )

  it('does the same twice', () => {
    const run = (): Uint8Array => {
      const world = new Follow(true)
      const agent = createDqn(core, { observation: world.observation, action: world.action, seed: 3 })
      train(agent, world, { episodes: 3, seed: 7 })
      return agent.save()
    }
    expect(run()).toEqual(run())
  })

  it('tells of each episode as it ends, and runs episode i on seed + i', () => {
    const world = new Tank()
    const seeds: number[] = []
    const reset = world.reset.bind(world)
    world.reset = (seed) => {
      seeds.push(seed)
      return reset(seed)
    }
    const told: EpisodeSummary[] = []
    const agent = spy(0.2)
    train(agent, world, { episodes: 3, seed: 5, episodeSteps: 4, onEpisode: (summary) => told.push(summary) })
    expect(seeds).toEqual([5, 6, 7])
    expect(told.map(({ episode, steps, sources }) => [episode, steps, sources.agent])).toEqual([
      [0, 4, 4],
      [1, 4, 4],
      [2, 4, 4],
    ])
    expect(agent.calls).toEqual(
      Array(3)
        .fill([...Array(4).fill('update'), 'endEpisode'])
        .flat(),
    )
  })

  it('holds the last safe action where a metric is missing and there is no rule, and asks the rule where there is one', () => {
    const script = [{}, { observation: [Number.NaN] }, {}, {}]
    const bare = new Scripted(script)
    expect(train(spy(6), bare, { episodes: 1 }).sources).toEqual({ agent: 2, rule: 0, hold: 1 })
    expect(bare.applied).toEqual([[6], [6], [6]])
    const ruled = new Scripted(script)
    train(spy(6), ruled, { episodes: 1, rule: constant(2) })
    expect(ruled.applied).toEqual([[6], [2], [6]])
  })

  it('learns from what the guard let through', () => {
    const agent = spy(9)
    train(agent, new Tank(), { episodes: 1, episodeSteps: 2 })
    for (const { action } of agent.learned) expect(action[0]).toBeCloseTo(0.4, 6)
    expect(agent.learned).toHaveLength(2)
  })

  it('ends between two steps when it is aborted, and keeps what was learned', () => {
    const stop = new AbortController()
    const agent = spy(0.2)
    const onTick = ({ step }: { step: number }) => void (step === 2 && stop.abort(new Error('enough')))
    expect(() => train(agent, new Tank(), { episodeSteps: 9, onTick, signal: stop.signal })).toThrow('enough')
    expect(agent.learned).toHaveLength(3)
  })

  it('throws on what an agent throws: in training that is a bug', () => {
    const broken = {
      ...spy(1),
      explore: () => {
        throw new Error('broken')
      },
    }
    expect(() => train(broken, new Tank(), { episodeSteps: 2 })).toThrow('broken')
    const forgetful = {
      ...spy(0.1),
      observe: () => {
        throw new Error('full')
      },
    }
    expect(() => train(forgetful, new Tank(), { episodeSteps: 2 })).toThrow('full')
  })

  it.each([
    ['no terminated', { terminated: undefined }, /terminated must be true or false, got undefined/],
    ['an array for an observation', { observation: [1] }, /observation must be a Float32Array, got Array/],
  ])('says what is wrong with a step that has %s', (_name, part, message) => {
    const world = new Tank()
    const step = world.step.bind(world)
    world.step = (action) => ({ ...step(action), ...part }) as unknown as Step
    expect(() => train(spy(0), world)).toThrow(message)
  })

  it('refuses an episode that never ends, after a million steps', () => {
    const answer: Step = { observation: Float32Array.of(1), reward: 0, terminated: false, truncated: false, info: {} }
    const world: TrainingEnvironment = {
      observation: boxSpace(['a'], 0, 1),
      action: boxSpace(['b']),
      reset: () => answer.observation,
      step: () => answer,
    }
    expect(() => evaluate(constant(0), world)).toThrow(expect.objectContaining({ code: 'episode_endless' }))
  })

  it('reports every problem of its options at once', () => {
    const options = { episodes: 0, seed: 0.5, gamma: 1 } as TrainOptions
    expect(() => train(spy(0), new Tank(), options)).toThrow(
      /options\.gamma is no option; there are episodes, .*; episodes must be a whole number >= 1, got 0; seed .* got 0\.5/,
    )
    expect(() => train(spy(0), new Tank(), { episodeSteps: 0 })).toThrow(/episodeSteps must be >= 1, got 0/)
  })
})

describe('evaluate', () => {
  it('gives mean and spread over seeds, of a rule as of an agent, and learns nothing', () => {
    const rewards = [3, 5, 10]
    let episode = -1
    const world = new Scripted([{}, { reward: 1 }])
    const reset = world.reset.bind(world)
    world.reset = () => {
      episode++
      return reset()
    }
    const step = world.step.bind(world)
    world.step = (action) => ({ ...step(action), reward: rewards[episode]! })
    const judged = evaluate(constant(1), world, { seeds: [1, 2, 3] })
    expect(judged).toEqual({
      mean: 6,
      deviation: Math.sqrt(13), // (9 + 1 + 16) / 2
      rewards,
      rewardPerStep: 6,
      steps: 3,
      sources: { agent: 3, rule: 0, hold: 0 },
    })
    const agent = spy(1)
    evaluate(agent, new Tank(), { seeds: [1], episodeSteps: 3 })
    expect([agent.learned, agent.calls]).toEqual([[], []])
  })

  it('judges on ten seeds that training has not met, and tells the controller of each episode', () => {
    const seeds: number[] = []
    const world = new Tank()
    const reset = world.reset.bind(world)
    world.reset = (seed) => {
      seeds.push(seed)
      return reset(seed)
    }
    let begun = 0
    const controller: Controller = { ...constant(0.1), beginEpisode: () => void begun++ }
    expect(evaluate(controller, world, { episodeSteps: 5 }).rewards).toHaveLength(10)
    expect([seeds[0], seeds.at(-1), begun]).toEqual([1_000_000, 1_000_009, 10])
  })

  it('refuses unknown options and an empty list of seeds', () => {
    expect(() => evaluate(constant(0), new Tank(), { seeds: [], episodes: 3 } as object)).toThrow(
      /options\.episodes is no option; .*; seeds must name at least one episode/,
    )
  })
})
