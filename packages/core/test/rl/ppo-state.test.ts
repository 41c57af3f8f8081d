import { beforeAll, describe, expect, it } from 'vitest'
import { type Core, createCore, type Tensor } from '../../src/index.js'
import { act, smallAgent } from './ppo-agent.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const edit = (tensors: Tensor[], name: string, change: (tensor: Tensor) => Tensor | undefined): Tensor[] =>
  tensors.flatMap((tensor) => (tensor.name === name ? (change(tensor) ?? []) : tensor))

describe('a saved PPO agent', () => {
  it.each([
    ['categories', {}],
    ['normals with contexts', { policy: 'gaussian', actionSize: 2, contextSize: 2, partitions: 2 }],
    ['two heads and a critic that sees more', { heads: [3, 1], globalSize: 2, contextSize: 2, partitions: 2 }],
    ['draws with replacement', { draw: 'replacement', returns: 'monte-carlo' }],
  ] as const)('continues to the byte from the middle of a rollout: %s', (_, options) => {
    const whole = smallAgent(core, options)
    whole.update(3)
    if (whole.options.contextSize > 0) whole.setContext(Float32Array.of(0.5, -0.5))
    for (let i = 0; i < 9; i++) act(whole, i)
    const rest = smallAgent(core, { ...options, seed: 99 }, 5)
    rest.load(whole.save())
    expect(rest.save()).toEqual(whole.save())
    for (const kernel of [whole, rest]) {
      kernel.endEpisode()
      for (let i = 9; i < 20; i++) act(kernel, i)
      kernel.update(3)
    }
    expect(rest.save()).toEqual(whole.save())
    expect(rest.report()).toEqual(whole.report())
  })

  it('continues between two epochs', () => {
    const whole = smallAgent(core)
    whole.prepare()
    whole.epoch()
    const rest = smallAgent(core, { seed: 8 }, 3)
    rest.load(whole.save())
    for (const kernel of [whole, rest]) kernel.epoch()
    expect(rest.save()).toEqual(whole.save())
  })

  it('hands on what was learned: the same networks, moments and steps in another agent', () => {
    const one = smallAgent(core)
    one.update(2)
    const other = smallAgent(core, { seed: 8 }, 4)
    other.setLearned(one.learned())
    expect(other.learned()).toEqual(one.learned())
    expect(other.size).toBe(4)
  })
})

describe('loading changes nothing and says why', () => {
  const good = (): Tensor[] => smallAgent(core).save()
  it.each([
    ['a tensor is missing', () => edit(good(), 'value', () => undefined), 'tensor_missing', /"value"/],
    ['a network is of another shape', () => smallAgent(core, { hidden: [4] }).save(), 'tensor_mismatch', /"policy"/],
    [
      'the action is of another kind',
      () => smallAgent(core, { policy: 'gaussian' }).save(),
      'tensor_mismatch',
      /policy/,
    ],
    ['the rollout is longer', () => smallAgent(core, { capacity: 60 }, 50).save(), 'rollout_invalid', /50 steps/],
    [
      'an end is of no kind',
      () => edit(good(), 'rollout.end', (t) => ({ ...t, bytes: t.bytes.slice().fill(7, 0, 1) })),
      'rollout_invalid',
      /terminated/,
    ],
    [
      'a partition is not there',
      () => edit(good(), 'rollout.partition', (t) => ({ ...t, bytes: t.bytes.slice().fill(7, 0, 1) })),
      'rollout_invalid',
      /partition/,
    ],
    [
      'a reward is NaN',
      () => edit(good(), 'rollout.reward', (t) => ({ ...t, bytes: t.bytes.slice().fill(0xff, 0, 8) })),
      'tensor_not_finite',
      /reward/,
    ],
  ] as const)('where %s', (_, tensors, code, message) => {
    const kernel = smallAgent(core, { seed: 8 })
    kernel.update(2)
    const before = kernel.save()
    expect(() => kernel.load(tensors())).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    )
    expect(kernel.save()).toEqual(before)
  })
})
