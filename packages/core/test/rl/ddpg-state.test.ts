import { beforeAll, describe, expect, it } from 'vitest'
import { type Core, createCore, type Tensor, wordTensor } from '../../src/index.js'
import { remember, smallAgent, transition } from './ddpg-agent.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const edit = (tensors: Tensor[], name: string, change: (tensor: Tensor) => Tensor | undefined): Tensor[] =>
  tensors.flatMap((tensor) => (tensor.name === name ? (change(tensor) ?? []) : tensor))

const withFloat = (tensor: Tensor, index: number, value: number): Tensor => {
  const bytes = tensor.bytes.slice()
  new DataView(bytes.buffer).setFloat32(4 * index, value, true)
  return { ...tensor, bytes }
}

describe('a saved DDPG agent', () => {
  it('continues to the byte: 100 updates are 50, save, load, 50', () => {
    const whole = smallAgent(core)
    whole.update(100)
    const first = smallAgent(core)
    first.update(50)
    const second = smallAgent(core, { seed: 99 }, 3)
    second.load(first.save())
    second.update(50)
    expect(second.save()).toEqual(whole.save())
  })

  it('continues to the byte while the ring turns over', () => {
    const whole = smallAgent(core, {}, 17)
    whole.update(5)
    const resumed = smallAgent(core, { seed: 3 }, 0)
    resumed.load(whole.save())
    for (let i = 50; i < 60; i++) {
      for (const kernel of [whole, resumed]) {
        remember(kernel, transition(i))
        kernel.update()
      }
    }
    expect(resumed.save()).toEqual(whole.save())
  })

  it('of version 0.1, with one block of counters and no guard, goes on to the same weights', () => {
    const whole = smallAgent(core)
    whole.update(50)
    const { updates, skipped } = whole.report()
    const newer = ['updates', 'rings', 'lastGood', 'lastGood.counters']
    const old = whole.save().filter(({ name }) => !newer.includes(name))
    const loaded = smallAgent(core, { seed: 99 }, 3)
    loaded.load([...old, wordTensor('counters', [updates, skipped, 13, 13])])
    for (const kernel of [whole, loaded]) kernel.update(50)
    expect(loaded.parameters('actor')).toEqual(whole.parameters('actor'))
    expect(loaded.report()).toEqual(whole.report())
  })

  it('keeps live hyperparameters and the last report', () => {
    const saved = smallAgent(core)
    saved.set('cloningWeight', 0.125)
    saved.update(3)
    const loaded = smallAgent(core)
    loaded.load(saved.save())
    expect(loaded.get('cloningWeight')).toBe(0.125)
    expect(loaded.report()).toEqual(saved.report())
  })

  it('says what is in it: names, types and shapes', () => {
    const summary = smallAgent(core)
      .save()
      .map(({ name, dtype, shape }) => `${name} ${dtype} [${shape}]`)
    expect(summary).toContain('replay.state F32 [13,3]')
    expect(summary).toContain('replay.reward F32 [13]')
    expect(summary).toContain('random U8 [32]')
    expect(new Set(summary).size).toBe(summary.length)
  })

  it('is a copy that later updates do not touch', () => {
    const kernel = smallAgent(core)
    const saved = kernel.save()
    const copy = structuredClone(saved)
    kernel.update(5)
    expect(saved).toEqual(copy)
  })
})

describe('loading changes nothing and says why', () => {
  const good = (): Tensor[] => smallAgent(core).save()
  it.each([
    ['a tensor is missing', () => edit(good(), 'critic', () => undefined), 'tensor_missing', /"critic"/],
    [
      'a tensor is truncated',
      () => edit(good(), 'actor', (t) => ({ ...t, bytes: t.bytes.subarray(4) })),
      'tensor_mismatch',
      /truncated/,
    ],
    ['a network is of another shape', () => smallAgent(core, { hidden: [4] }).save(), 'tensor_mismatch', /"actor"/],
    ['the state is of another size', () => smallAgent(core, { stateSize: 4 }).save(), 'tensor_mismatch', /actor/],
    [
      'a type is another',
      () => edit(good(), 'actor', (t) => ({ ...t, dtype: 'F64' as const })),
      'tensor_mismatch',
      /F64/,
    ],
    [
      'a weight is NaN',
      () => edit(good(), 'targetCritic', (t) => withFloat(t, 7, NaN)),
      'tensor_not_finite',
      /"targetCritic" holds NaN at 7/,
    ],
    [
      'a moment is infinite',
      () => edit(good(), 'adam.critic.v', (t) => withFloat(t, 0, Infinity)),
      'tensor_not_finite',
      /Infinity/,
    ],
    [
      'a stored reward is NaN',
      () => edit(good(), 'replay.reward', (t) => withFloat(t, 2, NaN)),
      'tensor_not_finite',
      /replay.reward/,
    ],
    ['the ring is larger', () => smallAgent(core, { capacity: 64 }, 30).save(), 'replay_invalid', /30 transitions/],
    [
      'the cursor points past the ring',
      () => edit(good(), 'rings', (t) => ({ ...t, bytes: new Uint8Array(Uint32Array.of(20, 77).buffer) })),
      'replay_invalid',
      /77/,
    ],
  ] as const)('where %s', (_, tensors, code, message) => {
    const kernel = smallAgent(core, { seed: 8 })
    kernel.update(2)
    const before = kernel.save()
    expect(() => kernel.load(tensors())).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    )
    expect(kernel.save()).toEqual(before)
    kernel.update()
  })
})
