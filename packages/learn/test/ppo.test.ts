import { type Core, createCore, type Step, type Transition } from '@trimtab/core'
import { type Context, ContextEncoder } from '@trimtab/core/internal'
import { beforeAll, describe, expect, it } from 'vitest'
import { createPpo, discreteSpace, loadPolicy, type Ppo, type PpoSetup, readPolicyFile } from '../src/index.js'
import { Follow, judge } from './follow.js'

/** `Follow` with five moves to choose from. */
class FollowByChoice extends Follow {
  override readonly action = discreteSpace('change', 5)
  override step(action: Float32Array): Step {
    return super.step(Float32Array.of((action[0]! - 2) / 2))
  }
}

let core: Core
let world: Follow
let choices: FollowByChoice
beforeAll(async () => {
  core = await createCore()
  world = new Follow(core)
  choices = new FollowByChoice(core)
})

const make = (changes: Partial<PpoSetup> = {}): Ppo =>
  createPpo(core, { observation: world.observation, action: world.action, seed: 1, ...changes })

const step = (changes: Partial<Transition> = {}): Transition => ({
  observation: Float32Array.of(0.1, 0.2, 0.3),
  action: Float32Array.of(0.5),
  reward: 1,
  nextObservation: Float32Array.of(0.2, 0.3, 0.4),
  terminated: false,
  ...changes,
})

function train(environment: Follow, agent: Ppo, from: number, to: number): void {
  const action = new Float32Array(1)
  for (let episode = from; episode < to; episode++) {
    let observation = environment.reset(episode)
    for (let truncated = false; !truncated; ) {
      agent.explore(observation, action)
      const taken = environment.step(action)
      const { reward, observation: nextObservation, terminated } = taken
      agent.observe({ observation, action, reward, nextObservation, terminated })
      truncated = taken.truncated
      if (truncated) agent.endEpisode()
      agent.update()
      observation = nextObservation
    }
  }
}

const decided = (agent: { decide: Ppo['decide'] }, observation: Float32Array): number => {
  const out = new Float32Array(1)
  agent.decide(observation, out)
  return out[0]!
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])

describe('learning', () => {
  it.each([
    ['a number', () => world, 0.97], // measured 0.987 … 0.995
    ['a choice of five', () => choices, 0.87], // measured 0.899 … 0.930
  ] as const)(
    'follows the wave with %s after 100 episodes with every one of five seeds, where no constant action earns 0.63 a step',
    (_, environment, atLeast) => {
      const returns = [1, 2, 3, 4, 5].map((seed) => {
        using agent = make({ seed, action: environment().action, options: { discount: 0.9, policyLearningRate: 1e-3 } })
        train(environment(), agent, 0, 100)
        return judge(environment(), (observation, out) => agent.decide(observation, out))
      })
      expect(Math.min(...returns)).toBeGreaterThan(atLeast)
    },
  )

  it.each([
    ['simppo', 0.63, {}],
    ['aurora', 0.75, { rewardScale: 1 }], // its own scale is for rewards in packets
  ] as const)('learns the toy with the printed preset %s too', (preset, atLeast, options) => {
    using agent = make({ preset, options })
    train(world, agent, 0, 300)
    expect(judge(world, (observation, out) => agent.decide(observation, out))).toBeGreaterThan(atLeast)
  })
})

describe('determinism and resume', () => {
  it('gives the same bytes twice for one seed, and others for another', () => {
    const [first, again, other] = [1, 1, 2].map((seed) => {
      using agent = make({ seed, options: { rolloutSteps: 100 } })
      train(world, agent, 0, 5)
      return agent.save()
    })
    expect(sameBytes(again!, first!)).toBe(true)
    expect(sameBytes(other!, first!)).toBe(false)
  })

  it.each([
    ['defaults', {}],
    ['plain returns', { returns: 'monte-carlo', draw: 'replacement', normalise: 'rollout', activation: 'relu' }],
  ] as const)(
    '%s: 40 episodes are 20, a save in mid-rollout, a load into a fresh agent and 20 more, to the byte',
    (_, changes) => {
      const options = { ...changes, hidden: [8, 8], rolloutSteps: 130, calibrationSteps: 60 }
      for (const environment of [world, choices]) {
        const { action } = environment
        using whole = make({ options, action })
        using half = make({ options, action })
        using rest = make({ options, action, seed: 77 }) // the file's seed takes over
        train(environment, whole, 0, 40)
        train(environment, half, 0, 20)
        expect(half.size).toBeGreaterThan(0)
        rest.load(half.save())
        expect(sameBytes(rest.save(), half.save())).toBe(true)
        train(environment, rest, 20, 40)
        expect(sameBytes(rest.save(), whole.save())).toBe(true)
      }
    },
  )
})

describe('observe and update', () => {
  it('learns once a rollout is complete, every epoch of it, and forgets it', () => {
    using agent = make({ options: { rolloutSteps: 20, miniBatchSize: 5, epochs: 3 } })
    for (let i = 1; i <= 40; i++) {
      agent.observe(step())
      expect(agent.update().updates).toBe(12 * Math.floor(i / 20))
    }
    expect(agent.size).toBe(0)
  })

  it('lets Monte-Carlo returns wait for the end of the episode', () => {
    using agent = make({ options: { returns: 'monte-carlo', rolloutSteps: 20, miniBatchSize: 5, epochs: 1 } })
    for (let i = 0; i < 25; i++) {
      agent.observe(step())
      expect(agent.update().updates).toBe(0)
    }
    agent.endEpisode()
    expect(agent.update().updates).toBe(5)
    for (let i = 0; i < 40; i++) agent.observe(step())
    expect(agent.update().updates).toBe(5 + 8) // twice as many: it waits no longer
  })

  it('starts anew when steps are observed beyond a full rollout, as while it only serves', () => {
    using agent = make({ options: { rolloutSteps: 20 } })
    for (let i = 0; i < 23; i++) agent.observe(step())
    expect(agent.size).toBe(3)
  })

  it('counts a coordinate that it had to cut as it was drawn', () => {
    const drawn = (action: Float32Array): number => {
      using agent = make({ options: { initialDeviation: 30 } })
      const out = new Float32Array(1)
      do agent.explore(step().observation, out)
      while (out[0] !== 1)
      agent.observe(step({ action: action[0] === 1 ? out : action }))
      const tensor = readPolicyFile(agent.save()).tensors.find(({ name }) => name === 'kernel.rollout.action')!
      return new Float32Array(tensor.bytes.slice().buffer)[0]!
    }
    expect(drawn(Float32Array.of(1))).toBeGreaterThan(1)
    expect(drawn(Float32Array.of(0.25))).toBe(0.25) // somebody else's
  })

  it.each([
    ['a NaN in the observation', { observation: Float32Array.of(0, NaN, 0) }, 'transition_not_finite'],
    ['an infinite next observation', { nextObservation: Float32Array.of(0, Infinity, 0) }, 'transition_not_finite'],
    ['a NaN reward', { reward: NaN }, 'transition_not_finite'],
    ['a NaN action', { action: Float32Array.of(NaN) }, 'transition_not_finite'],
    ['a short observation', { observation: new Float32Array(2) }, 'size_mismatch'],
    ['a long action', { action: new Float32Array(2) }, 'size_mismatch'],
  ])('refuses %s and stores nothing', (_, changes, code) => {
    using agent = make()
    agent.observe(step())
    const before = agent.save()
    expect(() => agent.observe(step(changes))).toThrow(expect.objectContaining({ code }))
    expect(sameBytes(agent.save(), before)).toBe(true)
  })

  it('refuses a choice that is none', () => {
    using agent = make({ action: choices.action })
    expect(() => agent.observe(step({ action: Float32Array.of(5) }))).toThrow(
      expect.objectContaining({ code: 'action_invalid' }),
    )
  })
})

describe('acting', () => {
  it('answers NaN to NaN with either head, which the guard turns into the fallback', () => {
    for (const { action } of [world, choices]) {
      using agent = make({ action })
      expect(decided(agent, Float32Array.of(NaN, 0, 0))).toBeNaN()
    }
  })

  it('explores inside [−1, 1] and decides without chance', () => {
    using agent = make({ options: { initialDeviation: 5 } })
    const out = new Float32Array(1)
    const explored = Array.from({ length: 200 }, () => {
      agent.explore(step().observation, out)
      return out[0]!
    })
    expect(Math.min(...explored)).toBe(-1)
    expect(Math.max(...explored)).toBe(1)
    expect(decided(agent, step().observation)).toBe(decided(agent, step().observation))
  })

  it('explains a decision in names, with the return in the units of the reward', () => {
    using agent = make({ action: choices.action, options: { discount: 0.5, rewardBaseline: 0.5, rewardScale: 2 } })
    train(choices, agent, 0, 100)
    const { inputs, actions, distribution, expectedReturn } = agent.explain(step().observation)
    expect(inputs.map(({ name }) => name)).toEqual(['demand', 'rise', 'capacity'])
    expect(actions).toEqual([{ name: 'change', value: decided(agent, step().observation) }])
    expect(distribution.reduce((a, b) => a + b)).toBeCloseTo(1, 5)
    expect(distribution.indexOf(Math.max(...distribution))).toBe(actions[0]!.value)
    expect(expectedReturn).toBeGreaterThan(1.6) // about 0.93 a step for ever and γ 0.5 make 1.9
    expect(expectedReturn).toBeLessThan(2.05)
  })
})

describe('loadPolicy', () => {
  it.each([0, 60])(
    'decides as its agent to the bit with either head, from either file; %d calibration steps',
    (calibrationSteps) => {
      for (const environment of [world, choices]) {
        using agent = make({
          action: environment.action,
          contextSize: 2,
          options: { rolloutSteps: 60, hidden: [12, 9], calibrationSteps },
        })
        agent.setContext(Float32Array.of(0.5, -2))
        train(environment, agent, 0, 8)
        expect(agent.savePolicy().length).toBeLessThan(5000)
        for (const file of [agent.savePolicy(), agent.save()]) {
          using policy = loadPolicy(core, file)
          for (let i = 0; i < 50; i++) {
            const observation = Float32Array.of(i / 50, 1 - i / 25, -i / 60)
            expect(decided(policy, observation)).toBe(decided(agent, observation))
          }
          expect(decided(policy, Float32Array.of(0, NaN, 0))).toBeNaN()
        }
      }
    },
  )

  it('is nothing to learn on with: an agent refuses it and stays as it was', () => {
    using agent = make()
    const before = agent.save()
    expect(() => agent.load(agent.savePolicy())).toThrow(expect.objectContaining({ code: 'tensor_missing' }))
    expect(sameBytes(agent.save(), before)).toBe(true)
  })
})

describe('load', () => {
  it.each([
    ['another task', { task: 'congestion-control' }, 'policy_task_mismatch'],
    ['a discrete action', { action: discreteSpace('change', 5) }, 'policy_space_mismatch'],
    ['other layers', { options: { hidden: [8] } }, 'policy_shape_mismatch'],
    ['another activation', { options: { activation: 'relu' } }, 'policy_shape_mismatch'],
    ['a normaliser', { options: { calibrationSteps: 10 } }, 'policy_shape_mismatch'],
    ['a context', { contextSize: 2 }, 'tensor_mismatch'],
    ['a shorter rollout', { options: { rolloutSteps: 10 } }, 'policy_options_mismatch'],
  ] as const)('refuses a policy from an agent that differs by %s and changes nothing', (_, changes, code) => {
    using saved = make()
    using other = make(changes)
    for (let i = 0; i < 30; i++) saved.observe(step())
    const before = other.save()
    expect(() => other.load(saved.save())).toThrow(expect.objectContaining({ code, name: 'FormatError' }))
    expect(sameBytes(other.save(), before)).toBe(true)
  })
})

describe('a full rollout', () => {
  it('is not forgotten for a step that is refused', () => {
    using agent = make({ options: { rolloutSteps: 3 } })
    for (let i = 0; i < 3; i++) agent.observe(step())
    expect(() => agent.observe(step(), 1)).toThrow(expect.objectContaining({ code: 'partition_invalid' }))
    expect(agent.size).toBe(3)
    agent.observe(step())
    expect(agent.size).toBe(1)
  })
})

describe('pairs that share an agent', () => {
  const options = { rolloutSteps: 60, miniBatchSize: 10, epochs: 2 }
  const shared = (): Ppo => make({ contextSize: 2, partitions: 3, options })
  const fill = (agent: Ppo): void => {
    for (let i = 0; i < 60; i++) agent.observe(step({ reward: i % 3 }), i % 3)
  }
  const encoder = (): ContextEncoder =>
    new ContextEncoder(core, {
      ...{ kind: 'set', inputSize: 5, hiddenSize: 8, dense: [2], maxContexts: 3, maxSequences: 2, maxSteps: 4 },
      ...{ learningRate: 1e-3, seed: 1 },
    })
  const context: Context = { steps: new Float32Array(2 * 4 * 5).fill(0.3), lengths: Int32Array.of(4, 3) }

  it('learns from each named pair once, from none before the rollout is complete', () => {
    using agent = shared()
    using learner = encoder()
    agent.observe(step())
    expect(agent.updatePairs(Int32Array.of(0), new Float32Array(2)).updates).toBe(0)
    for (let i = 1; i < 60; i++) agent.observe(step(), i % 3)
    expect(agent.updatePairs(Int32Array.of(2, 0, 2), new Float32Array(6)).updates).toBe(8)
    expect(agent.updatePairs(Int32Array.of(1, 0), [context, context], learner).updates).toBe(12)
    expect(learner.report().updates).toBe(2)
    expect(agent.updatePairs(Int32Array.of(1, 0), new Float32Array(4)).updates).toBe(12)
    agent.observe(step())
    expect(agent.size).toBe(1)
  })

  it('continues to the byte between the updates of a rollout', () => {
    using whole = shared()
    using rest = shared()
    fill(whole)
    whole.updatePairs(Int32Array.of(1), Float32Array.of(0.1, 0.2))
    rest.load(whole.save())
    for (const agent of [whole, rest]) {
      agent.updatePairs(Int32Array.of(1, 2), Float32Array.of(0, 0, 0.3, 0.4))
      fill(agent)
    }
    expect(sameBytes(rest.save(), whole.save())).toBe(true)
  })
})

describe('createPpo', () => {
  it('reports every problem at once', () => {
    expect(() =>
      make({ action: discreteSpace('change', 1), seed: 0.5, contextSize: -1, options: { epochs: 0, discount: 1 } }),
    ).toThrow(/discount must be .* got 1.*epochs must be .* got 0.*contextSize.*seed.*discrete action/)
  })

  it('gives all of its memory back, and may be disposed twice', () => {
    const before = core.usedBytes
    const agent = make({ options: { calibrationSteps: 10 } })
    loadPolicy(core, agent.savePolicy()).dispose()
    agent.dispose()
    agent.dispose()
    expect(core.usedBytes).toBe(before)
  })
})
