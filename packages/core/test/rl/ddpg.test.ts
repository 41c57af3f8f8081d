import { beforeAll, describe, expect, it } from 'vitest'
import { type Core, createCore, Mlp, Random } from '../../src/index.js'
import type { DdpgKernel, DdpgNet } from '../../src/internal.js'
import { remember, smallAgent, transition } from './ddpg-agent.js'

let core: Core
let scalar: Core
beforeAll(async () => {
  core = await createCore({ build: 'simd' })
  scalar = await createCore({ build: 'scalar' })
})

const NETS: readonly DdpgNet[] = ['actor', 'critic', 'targetActor', 'targetCritic', 'averagedActor']
const netsOf = (kernel: DdpgKernel): Float32Array[] => NETS.map((name) => kernel.parameters(name))
const action = (kernel: DdpgKernel, which: 'actor' | 'averaged' = 'actor'): Float32Array => {
  const out = new Float32Array(2)
  kernel.act(Float32Array.of(0.3, -0.2, 0.9), out, which)
  return out
}

describe('DdpgKernel', () => {
  it('acts as the actor network does', () => {
    const kernel = smallAgent(core)
    const net = new Mlp(core, { sizes: [3, 10, 7, 2], activations: ['relu', 'relu', 'tanh'] })
    net.setParameters(kernel.parameters('actor'))
    const expected = new Float32Array(2)
    net.forward(Float32Array.of(0.3, -0.2, 0.9), expected)
    expect(action(kernel)).toEqual(expected)
  })

  it('values as the critic network does', () => {
    const kernel = smallAgent(core)
    const net = new Mlp(core, { sizes: [5, 10, 7, 1], activations: ['relu', 'relu', 'linear'] })
    net.setParameters(kernel.parameters('critic'))
    const expected = new Float32Array(1)
    net.forward(Float32Array.of(0.3, -0.2, 0.9, -1, 1), expected)
    expect(kernel.q(Float32Array.of(0.3, -0.2, 0.9), Float32Array.of(-1, 1))).toBe(expected[0])
  })

  it('starts its targets and its average as copies', () => {
    const kernel = smallAgent(core)
    const [actor, critic, ...rest] = netsOf(kernel)
    expect(rest).toEqual([actor, critic, actor])
  })

  it('is another agent with another seed, the same with the same', () => {
    expect(netsOf(smallAgent(core))).toEqual(netsOf(smallAgent(core)))
    expect(netsOf(smallAgent(core, { seed: 6 }))).not.toEqual(netsOf(smallAgent(core)))
    expect(netsOf(smallAgent(core, { seed: 5 + 2 ** 40 }))).not.toEqual(netsOf(smallAgent(core)))
  })

  it('gives the same bits from the scalar and the SIMD build after 200 updates', () => {
    const [a, b] = [smallAgent(core), smallAgent(scalar)]
    a.update(200)
    b.update(200)
    expect(b.save()).toEqual(a.save())
  })

  it('does the same in one call of many updates and in many calls of one', () => {
    const [a, b] = [smallAgent(core), smallAgent(core)]
    a.update(30)
    for (let i = 0; i < 30; i++) b.update()
    expect(b.save()).toEqual(a.save())
  })

  it('acts the same between updates as without acting', () => {
    const [a, b] = [smallAgent(core), smallAgent(core)]
    for (let i = 0; i < 30; i++) {
      a.update()
      b.update()
      action(b)
      b.q(Float32Array.of(1, 1, 1), Float32Array.of(1, 1))
    }
    expect(b.save()).toEqual(a.save())
  })

  it('serves the actor itself where nothing is averaged', () => {
    const kernel = smallAgent(core, { averageRate: 0 })
    kernel.update(20)
    expect(action(kernel, 'averaged')).toEqual(action(kernel))
    expect(kernel.parameters('averagedActor')).toEqual(kernel.parameters('actor'))
  })

  it('serves a slower actor where it is averaged', () => {
    const kernel = smallAgent(core)
    kernel.update(20)
    expect(action(kernel, 'averaged')).not.toEqual(action(kernel))
  })

  it('keeps the newest transitions when the ring is full', () => {
    const [a, b] = [smallAgent(core, {}, 0), smallAgent(core, {}, 0)]
    for (let i = 0; i < 25; i++) remember(a, transition(i))
    for (let i = 20; i < 25; i++) remember(b, transition(i))
    for (let i = 5; i < 20; i++) remember(b, transition(i))
    const replay = (kernel: DdpgKernel) => kernel.save().filter(({ name }) => name.startsWith('replay'))
    expect(a.size).toBe(20)
    expect(replay(a)).toEqual(replay(b))
  })

  it('learns to prefer the better action of a one-step world', () => {
    // Reward −(a − target)² with target 0.5 and −0.25: the optimum is known.
    const plain = { weightDecay: 0, outputPenalty: 0, cloningWeight: 0, maxGradientNorm: 0 }
    const kernel = smallAgent(core, { ...plain, hidden: [20, 20], capacity: 500, batchSize: 32 }, 0)
    const random = new Random(core, 1)
    const draw = (n: number): number[] => Array.from({ length: n }, () => 2 * random.uniform() - 1)
    for (let i = 0; i < 500; i++) {
      const action = draw(2)
      const reward = -((action[0]! - 0.5) ** 2) - (action[1]! + 0.25) ** 2
      remember(kernel, { state: draw(3), action, reward, next: draw(3), terminated: true, rule: undefined })
    }
    kernel.update(3000)
    const [first, second] = action(kernel)
    expect(first).toBeGreaterThan(0.35)
    expect(first).toBeLessThan(0.65)
    expect(second).toBeGreaterThan(-0.4)
    expect(second).toBeLessThan(-0.1)
  })

  it('follows the rule when cloning outweighs the critic', () => {
    const rule = [0.6, -0.4]
    const kernel = smallAgent(core, { cloningWeight: 100, outputPenalty: 0 }, 0)
    for (let i = 0; i < 20; i++) remember(kernel, { ...transition(i), rule })
    kernel.update(3000)
    const [first, second] = action(kernel)
    expect(Math.abs(first! - 0.6) + Math.abs(second! + 0.4)).toBeLessThan(0.15)
  })

  it('changes hyperparameters while it runs', () => {
    const kernel = smallAgent(core)
    kernel.set('cloningWeight', 0.25)
    expect(kernel.get('cloningWeight')).toBe(0.25)
    kernel.set('actorLearningRate', 0)
    const before = kernel.parameters('actor')
    kernel.update(5)
    expect(kernel.parameters('actor')).toEqual(before)
    expect(() => kernel.set('outputPenalty', -1)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
  })
})

describe('DdpgKernel and numbers that are not finite', () => {
  const finite = Float32Array.of(0, 0, 0)
  const act = Float32Array.of(0, 0)
  it.each([
    ['a state', (k: DdpgKernel) => k.insert(Float32Array.of(0, NaN, 0), act, 0, finite, false)],
    ['an action', (k: DdpgKernel) => k.insert(finite, Float32Array.of(Infinity, 0), 0, finite, false)],
    ['a reward', (k: DdpgKernel) => k.insert(finite, act, NaN, finite, false)],
    ['a reward beyond f32', (k: DdpgKernel) => k.insert(finite, act, 1e39, finite, false)],
    ['a next state', (k: DdpgKernel) => k.insert(finite, act, 0, Float32Array.of(0, 0, -Infinity), false)],
    ['a rule action', (k: DdpgKernel) => k.insert(finite, act, 0, finite, false, Float32Array.of(NaN, 0))],
  ] as const)('refuses %s and stores nothing', (_, insert) => {
    const kernel = smallAgent(core)
    const before = kernel.save()
    expect(() => insert(kernel)).toThrow(expect.objectContaining({ code: 'transition_not_finite' }))
    expect(kernel.save()).toEqual(before)
  })

  /** One stored reward whose square, and so whose gradient, is beyond f32. */
  const poisoned = (options = {}): DdpgKernel => {
    const kernel = smallAgent(core, options, 0)
    remember(kernel, { ...transition(0), reward: 3e38 })
    return kernel
  }

  it('skips an update whose critic gradient overflows, counts it and changes no network', () => {
    const kernel = poisoned()
    const before = netsOf(kernel)
    kernel.update(3)
    expect(kernel.report()).toMatchObject({ updates: 0, skipped: 3 })
    expect(netsOf(kernel)).toEqual(before)
  })

  it('takes the critic back where only the actor fails', () => {
    // A penalty so large that the actor's gradient overflows while the critic's is fine.
    const kernel = smallAgent(core, { outputPenalty: 1e38 })
    const before = kernel.save().filter(({ name }) => !['random', 'lastGood.counters', 'values'].includes(name))
    kernel.update()
    expect(kernel.report()).toMatchObject({ updates: 0, skipped: 1 })
    const after = kernel.save().filter(({ name }) => !['random', 'lastGood.counters', 'values'].includes(name))
    expect(after).toEqual(before)
  })

  it('goes on learning after a skipped update', () => {
    const kernel = smallAgent(core, { outputPenalty: 1e38 })
    kernel.update()
    kernel.set('outputPenalty', 0)
    kernel.update(2)
    expect(kernel.report()).toMatchObject({ updates: 2, skipped: 1 })
  })
})

describe('DdpgKernel refuses', () => {
  it.each([
    ['a state of another size', (k: DdpgKernel) => k.act(new Float32Array(2), new Float32Array(2)), 'size_mismatch'],
    ['an output of another size', (k: DdpgKernel) => k.act(new Float32Array(3), new Float32Array(3)), 'size_mismatch'],
    ['to update from nothing', (k: DdpgKernel) => k.update(), 'replay_empty'],
    ['places that hold nothing', (k: DdpgKernel) => k.updateOn([0, 0, 0, 0, 0, 0]), 'index_invalid'],
    ['parameters of another size', (k: DdpgKernel) => k.setParameters('critic', new Float32Array(4)), 'size_mismatch'],
    ['NaN parameters', (k: DdpgKernel) => k.setParameters('actor', k.parameters('actor').fill(NaN)), 'not_finite'],
  ] as const)('%s', (_, call, code) => {
    const kernel = smallAgent(core, {}, 0)
    const before = kernel.save()
    expect(() => call(kernel)).toThrow(expect.objectContaining({ code }))
    expect(kernel.save()).toEqual(before)
  })

  it('names every problem of its options at once', () => {
    expect(() =>
      smallAgent(core, { batchSize: 0, discount: 2, weightDecay: -1, capacity: 1.5, hidden: [] }, 0),
    ).toThrow(/batchSize.*capacity.*discount.*hidden.*weightDecay/)
    expect(() => smallAgent(core, { capacity: 1e8 }, 0)).toThrow(/MiB .* lower capacity 100000000/)
  })
})
