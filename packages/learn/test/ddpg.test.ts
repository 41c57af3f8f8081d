import { type Core, createCore, type Step, type Transition } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { boxSpace, createDdpg, type Ddpg, type DdpgSetup, loadPolicy, readPolicyFile } from '../src/index.js'
import { Follow, judge, train } from './follow.js'

let core: Core
let world: Follow
beforeAll(async () => {
  core = await createCore()
  world = new Follow(core)
})

/** The probe's recipe at the toy's scale: its rewards lie around 0.6, and sixty episodes are enough. */
const TOY = {
  ...{ hidden: [40, 40], warmUp: 64, updatesPerStep: 2, discount: 0.9, maxGradientNorm: 0, calibrationSteps: 0 },
  rewardBaseline: 0.6,
  averageRate: 0.005,
  noise: {
    process: { kind: 'gaussian', deviation: 1 },
    schedule: { kind: 'episodes', from: 0.3, to: 0.05, episodes: 60 },
  },
} as const

const CORRELATED_NOISE = {
  process: { kind: 'ornstein-uhlenbeck', mu: 0, theta: 0.15, sigma: 0.2, dt: 0.01 },
  schedule: { kind: 'updates', from: 1, decrement: 1e-6, floor: 0.05 },
} as const

const make = (changes: Partial<DdpgSetup> = {}): Ddpg =>
  createDdpg(core, { observation: world.observation, action: world.action, options: TOY, seed: 1, ...changes })

const step = (changes: Partial<Transition> = {}): Transition => ({
  observation: Float32Array.of(0.1, 0.2, 0.3),
  action: Float32Array.of(0.5),
  reward: 1,
  nextObservation: Float32Array.of(0.2, 0.3, 0.4),
  terminated: false,
  ...changes,
})

const decided = (agent: Ddpg, observation: Float32Array): number => {
  const out = new Float32Array(1)
  agent.decide(observation, out)
  return out[0]!
}

/** Plain loop: a matcher's walk over megabytes takes half a second. */
const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])

describe('learning', () => {
  it('follows the wave after 60 episodes with every one of five seeds, where no constant action earns 0.63 a step', () => {
    const constants = [-1, -0.5, -0.2, 0, 0.2, 0.5, 1].map((action) => judge(world, (_, out) => out.fill(action)))
    expect(Math.max(...constants)).toBeLessThan(0.63)
    const returns = [1, 2, 3, 4, 5].map((seed) => {
      using agent = make({ seed })
      train(world, agent, 0, 60)
      return judge(world, (observation, out) => agent.decide(observation, out))
    })
    expect(Math.min(...returns)).toBeGreaterThan(0.97) // measured 0.991 … 0.996
  })

  // As FIRM and AWARE print theirs: no baseline, no average, a fast critic.
  it.each([
    ['correlated', 0.9, CORRELATED_NOISE],
    ['independent', 0.99, { ...CORRELATED_NOISE, process: { kind: 'gaussian', deviation: 0.2 } }],
  ] as const)('learns the toy with the printed settings and %s noise too', (_, discount, noise) => {
    const printed = { rewardBaseline: 0, averageRate: 0, criticLearningRate: 3e-3, targetRate: 3e-3, updatesPerStep: 1 }
    using agent = make({ options: { ...TOY, ...printed, capacity: 10_000, discount, noise } })
    train(world, agent, 0, 60)
    expect(judge(world, (observation, out) => agent.decide(observation, out))).toBeGreaterThan(0.95)
  })

  it('comes close to a rule through the cloning term alone, before any reward has taught it better', () => {
    using agent = make({ options: { ...TOY, updatesPerStep: 1 } })
    agent.setCloningWeight(100)
    const rule = (observation: Float32Array): Float32Array => Float32Array.of(-0.5 * observation[2]!)
    for (let i = 0; i < 1000; i++) {
      const observation = Float32Array.of(0, 0, (i % 21) / 10 - 1)
      agent.observe(step({ observation, reward: 0, ruleAction: rule(observation) }))
      agent.update()
    }
    const out = new Float32Array(1)
    for (const capacity of [-0.8, 0, 0.8]) {
      const observation = Float32Array.of(0, 0, capacity)
      agent.act(observation, out, 'actor')
      expect(out[0]).toBeCloseTo(rule(observation)[0]!, 1)
    }
  })
})

describe('determinism and resume', () => {
  it('gives the same bytes twice for one seed, and others for another', () => {
    const [first, again, other] = [1, 1, 2].map((seed) => {
      using agent = make({ seed })
      train(world, agent, 0, 5)
      return agent.save()
    })
    expect(sameBytes(again!, first!)).toBe(true)
    expect(sameBytes(other!, first!)).toBe(false)
  })

  it.each([
    ['defaults', {}],
    ['calibrating', { calibrationSteps: 500 }],
    ['correlated noise', { noise: CORRELATED_NOISE }],
  ])('%s: 100 episodes are 50, a save, a load into a fresh agent and 50 more, to the byte', (_, changes) => {
    // Small nets and a ring that wraps keep this quick; the fractional rate leaves an update owed at the cut.
    const options = { ...TOY, hidden: [8, 8], batchSize: 8, capacity: 900, updatesPerStep: 0.3, ...changes }
    using whole = make({ options })
    using half = make({ options })
    using rest = make({ options, seed: 77 }) // the file's seed takes over
    for (const agent of [whole, half]) {
      agent.setCloningWeight(0.25)
      agent.explorationScale = 0.5
    }
    train(world, whole, 0, 100)
    train(world, half, 0, 50)
    rest.load(half.save())
    expect(sameBytes(rest.save(), half.save())).toBe(true)
    train(world, rest, 50, 100)
    expect(sameBytes(rest.save(), whole.save())).toBe(true)
  })

  it('continues from a cut in mid-episode', () => {
    using whole = make()
    using rest = make()
    const action = new Float32Array(1)
    const live = (agent: Ddpg, n: number): void => {
      for (let i = 0; i < n; i++) {
        agent.explore(step().observation, action)
        agent.observe(step({ action }))
        agent.update()
      }
    }
    live(whole, 101)
    rest.load(whole.save())
    live(whole, 102)
    live(rest, 102)
    expect(sameBytes(rest.save(), whole.save())).toBe(true)
  })
})

describe('update', () => {
  it.each([
    [0.5, 50],
    [0.375, 37],
    [1, 100],
    [4, 400],
  ])('makes %d updates a step once warm: after 100 steps %d', (updatesPerStep, expected) => {
    using agent = make({ options: { ...TOY, warmUp: 10, updatesPerStep } })
    let updates = 0
    for (let i = 0; i < 9 + 100; i++) {
      agent.observe(step())
      updates = agent.update().updates
    }
    expect(Math.abs(updates - expected)).toBeLessThan(1) // a fraction may still be owed
  })

  it('does nothing before the warm-up', () => {
    using agent = make({ options: { ...TOY, warmUp: 10 } })
    for (let i = 0; i < 9; i++) {
      agent.observe(step())
      expect(agent.update()).toMatchObject({ updates: 0, skipped: 0 })
    }
  })

  it('learns centred rewards: a reward at the baseline is worth nothing to the critic', () => {
    using agent = make({ options: { ...TOY, discount: 0, updatesPerStep: 4, criticLearningRate: 1e-2 } })
    for (let i = 0; i < 500; i++) {
      agent.observe(step({ reward: 0.6 }))
      agent.update()
    }
    expect(agent.update().meanQ).toBeCloseTo(0, 2)
  })

  it('skips an update whose loss is not finite, counts it and keeps its policy', () => {
    using agent = make({ options: { ...TOY, warmUp: 1, updatesPerStep: 1 } })
    agent.observe(step({ reward: 3e38 })) // finite itself, its square is not
    const before = decided(agent, step().observation)
    expect(agent.update()).toMatchObject({ updates: 0, skipped: 1 })
    expect(agent.update()).toMatchObject({ updates: 0, skipped: 2 })
    expect(decided(agent, step().observation)).toBe(before)
  })

  it('lets ε fall by 1e-6 with every update of a printed preset', () => {
    using agent = make({ options: { ...TOY, warmUp: 1, updatesPerStep: 1, noise: CORRELATED_NOISE } })
    const loudest = agent.explorationLevel
    agent.observe(step())
    for (let i = 0; i < 1000; i++) agent.update()
    expect(agent.explorationLevel / loudest).toBeCloseTo(0.999, 9)
  })
})

describe('observe', () => {
  it.each([
    ['a NaN in the observation', { observation: Float32Array.of(0, Number.NaN, 0) }, 'transition_not_finite'],
    ['an infinite next observation', { nextObservation: Float32Array.of(0, 0, Infinity) }, 'transition_not_finite'],
    ['a NaN action', { action: Float32Array.of(Number.NaN) }, 'transition_not_finite'],
    ['a NaN reward', { reward: Number.NaN }, 'transition_not_finite'],
    ['a NaN in the rule action', { ruleAction: Float32Array.of(Number.NaN) }, 'transition_not_finite'],
    ['a short observation', { observation: new Float32Array(2) }, 'size_mismatch'],
    ['a long action', { action: new Float32Array(2) }, 'size_mismatch'],
  ])('refuses %s and stores nothing', (_, changes, code) => {
    using agent = make()
    agent.observe(step())
    const before = agent.save()
    expect(() => agent.observe(step(changes))).toThrow(expect.objectContaining({ code }))
    expect(sameBytes(agent.save(), before)).toBe(true)
  })
})

describe('acting', () => {
  it('answers NaN to NaN, which the guard turns into the fallback', () => {
    using agent = make()
    expect(decided(agent, Float32Array.of(Number.NaN, 0, 0))).toBeNaN()
  })

  it('explores around the actor and inside [−1, 1]; scale 0 is the actor itself', () => {
    using agent = make({
      options: {
        ...TOY,
        noise: {
          process: { kind: 'gaussian', deviation: 1 },
          schedule: { kind: 'episodes', from: 2, to: 2, episodes: 1 },
        },
      },
    })
    const { observation } = step()
    const out = new Float32Array(1)
    const explored = Array.from({ length: 200 }, () => {
      agent.explore(observation, out)
      return out[0]!
    })
    expect(Math.min(...explored)).toBe(-1)
    expect(Math.max(...explored)).toBe(1)
    expect(new Set(explored).size).toBeGreaterThan(50)
    agent.explorationScale = 0
    agent.explore(observation, out)
    const actor = new Float32Array(1)
    agent.act(observation, actor, 'actor')
    expect(out).toEqual(actor)
  })

  it('serves the averaged actor, which lags behind the one that learns', () => {
    using agent = make()
    train(world, agent, 0, 5)
    const [actor, averaged] = (['actor', 'averaged'] as const).map((policy) => {
      const out = new Float32Array(1)
      agent.act(step().observation, out, policy)
      return out[0]!
    })
    expect(averaged).not.toBe(actor)
    expect(decided(agent, step().observation)).toBe(averaged)
  })

  it('explains a decision in names, with the return in the units of the reward', () => {
    using agent = make({ options: { ...TOY, discount: 0.5 } })
    train(world, agent, 0, 60)
    const { observation } = step()
    const { inputs, actions, expectedReturn } = agent.explain(observation)
    expect(inputs.map(({ name }) => name)).toEqual(['demand', 'rise', 'capacity'])
    expect(inputs[2]!.value).toBeCloseTo(0.3, 6)
    expect(actions).toEqual([{ name: 'change', value: decided(agent, observation) }])
    expect(expectedReturn).toBeGreaterThan(1.85) // 1 a step for ever and γ 0.5 make 2
    expect(expectedReturn).toBeLessThan(2.05)
  })
})

describe('a normaliser', () => {
  const options = { ...TOY, calibrationSteps: 200 }
  /** The toy with its first observation in other units. */
  class Scaled extends Follow {
    override reset(seed: number): Float32Array {
      return this.#scale(super.reset(seed))
    }
    override step(action: Float32Array): Step {
      const step = super.step(action)
      return { ...step, observation: this.#scale(step.observation) }
    }
    #scale(x: Float32Array): Float32Array {
      x[0] = 5000 + 1000 * x[0]!
      return x
    }
  }

  it('makes an observation in awkward units learnable', () => {
    const scaled = new Scaled(core)
    const returns = (calibrationSteps: number): number[] =>
      [1, 2, 4].map((seed) => {
        using agent = make({ seed, options: { ...TOY, calibrationSteps } })
        train(scaled, agent, 0, 80)
        return judge(scaled, (observation, out) => agent.decide(observation, out))
      })
    expect(Math.min(...returns(200))).toBeGreaterThan(0.95) // measured 0.97 … 0.997
    expect(Math.max(...returns(0))).toBeLessThan(0.1)
  })

  it.each([
    ['during', 2],
    ['after', 6],
  ])('is saved and continued to the byte %s its calibration of four episodes', (_, cut) => {
    using whole = make({ options })
    using rest = make({ options })
    train(world, whole, 0, cut)
    rest.load(whole.save())
    for (const agent of [whole, rest]) train(world, agent, cut, 9)
    expect(sameBytes(rest.save(), whole.save())).toBe(true)
  })

  it.each([
    ['observation', { observation: Float32Array.of(0, Infinity, 0) }],
    ['next observation', { nextObservation: Float32Array.of(0, -Infinity, 0) }],
  ])('does not hide an infinite %s by cutting it', (_, changes) => {
    using agent = make({ options: { ...options, calibrationSteps: 1 } })
    agent.observe(step())
    const before = agent.save()
    expect(() => agent.observe(step(changes))).toThrow(expect.objectContaining({ code: 'transition_not_finite' }))
    expect(sameBytes(agent.save(), before)).toBe(true)
  })

  it('learns nothing from the calibration and refuses what is not finite in it', () => {
    using agent = make({ options: { ...options, calibrationSteps: 3 } })
    const missing = step({ observation: Float32Array.of(0, Number.NaN, 0) })
    expect(() => agent.observe(missing)).toThrow(expect.objectContaining({ code: 'transition_not_finite' }))
    const sizes = [1, 2, 3, 4, 5].map(() => {
      agent.observe(step())
      return agent.size
    })
    expect(sizes).toEqual([0, 0, 0, 1, 2])
  })

  it('refuses a damaged state', () => {
    using agent = make({ options })
    agent.observe(step())
    const before = agent.save()
    const file = poison(before.slice(), 'normaliser.variance', -1)
    expect(() => agent.load(file)).toThrow(expect.objectContaining({ code: 'normaliser_invalid' }))
    expect(sameBytes(agent.save(), before)).toBe(true)
  })
})

describe('loadPolicy', () => {
  it.each([0, 50])('decides as its agent to the bit, from either file; %d calibration steps', (calibrationSteps) => {
    using agent = make({ options: { ...TOY, calibrationSteps } })
    train(world, agent, 0, 5)
    expect(agent.savePolicy().length).toBeLessThan(10_000)
    for (const file of [agent.savePolicy(), agent.save()]) {
      using policy = loadPolicy(core, file)
      const out = new Float32Array(1)
      for (let i = 0; i < 50; i++) {
        const observation = Float32Array.of(i / 50, 1 - i / 25, -i / 60)
        policy.decide(observation, out)
        expect(out[0]).toBe(decided(agent, observation))
      }
      policy.decide(Float32Array.of(0, Number.NaN, 0), out)
      expect(out[0]).toBeNaN()
    }
  })

  it('is nothing to learn on with: an agent refuses it and stays as it was', () => {
    using agent = make()
    const before = agent.save()
    expect(() => agent.load(agent.savePolicy())).toThrow(expect.objectContaining({ code: 'tensor_missing' }))
    expect(sameBytes(agent.save(), before)).toBe(true)
  })

  it.each([
    ['a policy cut short', (file: Uint8Array) => file.subarray(0, -4), 'safetensors_truncated'],
    ['a NaN weight', (file: Uint8Array) => poison(file, 'kernel.averagedActor'), 'policy_not_finite'],
    ['layers that its weights do not fill', (file: Uint8Array) => edit(file, '"hidden":"[4', '1'), 'tensor_mismatch'],
    ['a negative variance', (file: Uint8Array) => poison(file, 'normaliser.variance', -1), 'normaliser_invalid'],
  ])('refuses %s and keeps no memory', (_, damage, code) => {
    using agent = make({ options: { ...TOY, calibrationSteps: 1 } })
    const file = damage(agent.savePolicy())
    const before = core.usedBytes
    expect(() => loadPolicy(core, file)).toThrow(expect.objectContaining({ code }))
    expect(core.usedBytes).toBe(before)
  })
})

describe('load', () => {
  const space = boxSpace(['a'])
  it.each([
    ['another task', { task: 'congestion-control' }, 'policy_task_mismatch'],
    ['another observation space', { observation: boxSpace(['demand', 'rise', 'replicas']) }, 'policy_space_mismatch'],
    ['other observation bounds', { observation: boxSpace(['demand', 'rise', 'capacity'], 0) }, 'policy_space_mismatch'],
    ['another number of actions', { action: boxSpace(['change', 'more']) }, 'policy_space_mismatch'],
    ['other layers', { options: { ...TOY, hidden: [8] } }, 'policy_shape_mismatch'],
    ['a smaller replay', { options: { ...TOY, capacity: 70 } }, 'policy_options_mismatch'],
    ['another learning rate', { options: { ...TOY, actorLearningRate: 1 } }, 'policy_options_mismatch'],
    ['other noise', { options: { ...TOY, noise: CORRELATED_NOISE } }, 'policy_options_mismatch'],
    ['everything other', { task: 'x', observation: space, action: space }, 'policy_task_mismatch'],
  ] as const)('refuses a policy from %s and changes nothing', (_, changes, code) => {
    using saved = make()
    using other = make(changes)
    train(world, saved, 0, 2)
    const before = other.save()
    expect(() => other.load(saved.save())).toThrow(expect.objectContaining({ code, name: 'FormatError' }))
    expect(sameBytes(other.save(), before)).toBe(true)
  })

  it.each([
    ['is empty', () => new Uint8Array(0), 'safetensors_truncated'],
    ['lost its last byte', (file: Uint8Array) => file.subarray(0, -1), 'safetensors_truncated'],
    ['lost its second half', (file: Uint8Array) => file.subarray(0, file.length >> 1), 'safetensors_truncated'],
    ['is another ABI’s', (file: Uint8Array) => edit(file, '"coreAbi":"', '9'), 'policy_abi_mismatch'],
    ['has a NaN weight', (file: Uint8Array) => poison(file, 'kernel.actor'), 'policy_not_finite'],
    ['has a NaN in the replay', (file: Uint8Array) => poison(file, 'kernel.replay.state'), 'policy_not_finite'],
    ['names a tensor wrongly', (file: Uint8Array) => edit(file, '"kernel.target', 'X'), 'tensor_missing'],
    ['lost its noise', (file: Uint8Array) => edit(file, '"noise.', 'X'), 'tensor_missing'],
    ['is no policy', () => new TextEncoder().encode('PK\u0003\u0004 not a policy file'), 'safetensors_header_too_long'],
  ])('refuses a file that %s and changes nothing', (_, damage, code) => {
    using agent = make()
    train(world, agent, 0, 2)
    const before = agent.save()
    expect(() => agent.load(damage(before.slice()))).toThrow(expect.objectContaining({ code, name: 'FormatError' }))
    expect(sameBytes(agent.save(), before)).toBe(true)
  })
})

describe('createDdpg', () => {
  it('reports every problem at once', () => {
    expect(() =>
      make({ observation: boxSpace([]), action: boxSpace(['limit'], 0, 4), seed: 0.5, options: { batchSize: 0 } }),
    ).toThrow(/batchSize must be .* got 0.*seed must be .* got 0.5.*observation must have.*action must be a box of/)
  })

  it.each([
    ['explorationScale', (agent: Ddpg) => Object.assign(agent, { explorationScale: -1 })],
    ['cloningWeight', (agent: Ddpg) => agent.setCloningWeight(Number.NaN)],
  ])('refuses a bad live %s', (name, act) => {
    using agent = make()
    expect(() => act(agent)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
    expect(() => act(agent)).toThrow(name)
  })

  it('gives all of its memory back, and may be disposed twice', () => {
    const before = core.usedBytes
    const agent = make({ options: { ...TOY, calibrationSteps: 10 } })
    train(world, agent, 0, 2)
    loadPolicy(core, agent.savePolicy()).dispose()
    expect(core.usedBytes).toBeGreaterThan(before)
    agent.dispose()
    agent.dispose()
    expect(core.usedBytes).toBe(before)
    expect(() => decided(agent, step().observation)).toThrow(expect.objectContaining({ code: 'object_disposed' }))
  })

  it('writes into the file what it is for', () => {
    using agent = make({ task: 'follow', trainingData: 'a wave' })
    expect(readPolicyFile(agent.save()).header).toMatchObject({ task: 'follow', seed: 1, trainingData: 'a wave' })
  })
})

/** The file with the byte after the first `text` replaced. */
function edit(file: Uint8Array, text: string, by: string): Uint8Array {
  const at = new TextDecoder('latin1').decode(file).indexOf(text)
  expect(at).toBeGreaterThan(0)
  file[at + text.length] = by.charCodeAt(0)
  return file
}

/** The file with another first value of an F32 or F64 tensor. */
function poison(file: Uint8Array, name: string, value = Number.NaN): Uint8Array {
  const view = new DataView(file.buffer)
  const start = 8 + Number(view.getBigUint64(0, true))
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, start)))
  const at = start + header[name].data_offsets[0]
  if (header[name].dtype === 'F32') view.setFloat32(at, value, true)
  else view.setFloat64(at, value, true)
  return file
}
