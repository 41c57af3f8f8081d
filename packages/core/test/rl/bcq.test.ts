import { beforeAll, describe, expect, it } from 'vitest'
import { type Core, createCore, Mlp, Random, type Tensor } from '../../src/index.js'
import { BcqKernel, moveActions, softClippedGoals } from '../../src/internal.js'
import { smallBcq, smallBcqAgent, storeIn } from './bcq-agent.js'

let core: Core
let scalar: Core
beforeAll(async () => {
  core = await createCore({ build: 'simd' })
  scalar = await createCore({ build: 'scalar' })
})

const action = (kernel: BcqKernel, which: 'learning' | 'target' = 'learning'): Float32Array => {
  const out = new Float32Array(2)
  kernel.act(Float32Array.of(0.3, -0.2, 0.9), out, which)
  return out
}

describe('BcqKernel', () => {
  it('acts with the candidate that its first critic values most', () => {
    const kernel = smallBcqAgent(core)
    const state = [0.3, -0.2, 0.9]
    const run = (sizes: number[], last: 'tanh' | 'linear', parameters: Float32Array, x: number[]): Float32Array => {
      using net = new Mlp(core, { sizes, activations: ['relu', 'relu', last] })
      net.setParameters(parameters)
      const y = new Float32Array(sizes.at(-1)!)
      net.forward(Float32Array.from(x), y)
      return y
    }
    const saved = kernel.save().find(({ name }) => name === 'actingLatents')!
    const latents = new Float32Array(saved.bytes.slice().buffer)
    const candidates = Array.from({ length: 9 }, (_, i) => {
      const code = [...state, ...latents.subarray(4 * i, 4 * i + 4)]
      const decoded = run([7, 10, 7, 2], 'tanh', kernel.parameters('decoder'), code)
      const shift = run([5, 10, 7, 2], 'tanh', kernel.parameters('perturbation'), [...state, ...decoded])
      return decoded.map((a, j) => Math.max(-1, Math.min(1, a + Math.fround(Math.fround(0.05) * shift[j]!))))
    })
    const values = candidates.map((a) => kernel.q(Float32Array.from(state), Float32Array.from(a)))
    expect(action(kernel)).toEqual(Float32Array.from(candidates[values.indexOf(Math.max(...values))]!))
    expect([...latents.subarray(0, 4)]).toEqual([0, 0, 0, 0]) // the first is the middle of the prior
    expect(Math.max(...latents.map(Math.abs))).toBe(0.5)
  })

  it('gives the same bits from the scalar and the SIMD build after 100 updates', () => {
    const [a, b] = [smallBcqAgent(core), smallBcqAgent(scalar)]
    a.update(100)
    b.update(100)
    expect(b.save()).toEqual(a.save())
  })

  it('acts the same between updates as without acting', () => {
    const [a, b] = [smallBcqAgent(core), smallBcqAgent(core)]
    a.update(20)
    for (let i = 0; i < 20; i++) {
      b.update()
      expect(action(b)).toEqual(action(b))
      action(b, 'target')
      b.q(Float32Array.of(1, 1, 1), Float32Array.of(1, 1))
    }
    expect(b.save()).toEqual(a.save())
  })

  it('is another agent with another seed, the same with the same', () => {
    expect(smallBcqAgent(core).save()).toEqual(smallBcqAgent(core).save())
    expect(smallBcqAgent(core, { seed: 6 }).save()).not.toEqual(smallBcqAgent(core).save())
  })

  it('learns a mini-batch of one', () => {
    const kernel = smallBcqAgent(core, { batchSize: 1 }, 1)
    kernel.update(50)
    expect(kernel.report()).toMatchObject({ updates: 50, skipped: 0 })
  })

  it('keeps actions at their bounds there', () => {
    const kernel = new BcqKernel(core, { ...smallBcq, learningRate: 1e-2 })
    for (let i = 0; i < 20; i++) {
      const state = Float32Array.of(i / 20, 0, 0)
      kernel.insert(state, Float32Array.of(1, -1), 0, state, false)
    }
    kernel.update(1000)
    const [first, second] = action(kernel)
    expect(first).toBeGreaterThan(0.9) // φ may take 0.05
    expect(first).toBeLessThanOrEqual(1)
    expect(second).toBeLessThan(-0.9)
    expect(second).toBeGreaterThanOrEqual(-1)
  })

  it.each([1, 2, 3, 4, 5])('stays with the actions of the data where better ones would be guesses, seed %d', (seed) => {
    // A rule acts at 0.5·s with ±0.15; reward −(a − 0.9)²: the best action is far away, the best of the data 0.15 above the rule.
    const kernel = new BcqKernel(core, { ...smallBcq, ...STATELESS, seed })
    const random = new Random(core, seed)
    for (let i = 0; i < 500; i++) {
      const s = 2 * random.uniform() - 1
      const a = 0.5 * s + 0.3 * (random.uniform() - 0.5)
      kernel.insert(Float32Array.of(s), Float32Array.of(a), -((a - 0.9) ** 2), Float32Array.of(0), true)
    }
    kernel.update(1500)
    const out = new Float32Array(1)
    for (const s of [-0.8, -0.4, 0, 0.4, 0.8]) {
      kernel.act(Float32Array.of(s), out)
      expect(out[0]! - 0.5 * s, `at ${s}`).toBeGreaterThan(0) // better than the rule
      expect(out[0]! - 0.5 * s, `at ${s}`).toBeLessThan(0.35) // and near it: spread, latents and φ 0.05
    }
  })

  it.each([1, 2, 3, 4, 5])('finds the best action among varied ones, seed %d', (seed) => {
    // Identity task: actions anywhere in [−1, 1], reward −(a − s)².
    const kernel = new BcqKernel(core, { ...smallBcq, ...STATELESS, seed, latentBound: 2 })
    const random = new Random(core, seed)
    for (let i = 0; i < 1000; i++) {
      const s = 1.6 * random.uniform() - 0.8
      const a = 2 * random.uniform() - 1
      kernel.insert(Float32Array.of(s), Float32Array.of(a), -((a - s) ** 2), Float32Array.of(0), true)
    }
    kernel.update(2000)
    const out = new Float32Array(1)
    for (const s of [-0.6, -0.3, 0, 0.3, 0.6]) {
      kernel.act(Float32Array.of(s), out)
      expect(Math.abs(out[0]! - s), `at ${s}`).toBeLessThan(0.25)
    }
  })
})

const STATELESS = {
  stateSize: 1,
  actionSize: 1,
  latentSize: 2,
  hidden: [24, 24],
  capacity: 1000,
  batchSize: 32,
  actingCandidates: 50,
}

describe('BcqKernel and numbers that are not finite', () => {
  it('refuses a NaN reward and stores nothing', () => {
    const kernel = smallBcqAgent(core)
    const before = kernel.save()
    expect(() => storeIn(kernel, 0, NaN)).toThrow(expect.objectContaining({ code: 'transition_not_finite' }))
    expect(kernel.save()).toEqual(before)
  })

  it('answers NaN to a NaN state, which the guard turns into the fallback', () => {
    const out = new Float32Array(2)
    smallBcqAgent(core).act(Float32Array.of(0, NaN, 0), out)
    expect([...out]).toEqual([NaN, NaN])
  })

  it('gives up an update that overflows, and after three in a row takes the last good weights back', () => {
    const kernel = smallBcqAgent(core, {}, 0)
    storeIn(kernel, 0, 3e38) // its square is beyond f32
    const before = kernel.parameters('firstCritic')
    kernel.update(2)
    expect(kernel.report()).toMatchObject({ updates: 0, skipped: 2, restored: 0 })
    kernel.update()
    expect(kernel.report()).toMatchObject({ updates: 0, skipped: 3, restored: 1 })
    expect(kernel.parameters('firstCritic')).toEqual(before)
  })
})

describe('BcqKernel refuses', () => {
  it.each([
    ['a state of another size', (k: BcqKernel) => k.act(new Float32Array(2), new Float32Array(2)), 'size_mismatch'],
    ['to update from nothing', (k: BcqKernel) => k.update(), 'replay_empty'],
    ['places that hold nothing', (k: BcqKernel) => k.updateOn([0, 0, 0, 0, 0, 0]), 'index_invalid'],
    ['parameters of another size', (k: BcqKernel) => k.setParameters('encoder', new Float32Array(4)), 'size_mismatch'],
    ['NaN parameters', (k: BcqKernel) => k.setParameters('decoder', k.parameters('decoder').fill(NaN)), 'not_finite'],
    ['a negative learning rate', (k: BcqKernel) => k.setLearningRate(-1), 'config_invalid'],
  ] as const)('%s', (_, call, code) => {
    const kernel = smallBcqAgent(core, {}, 0)
    const before = kernel.save()
    expect(() => call(kernel)).toThrow(expect.objectContaining({ code }))
    expect(kernel.save()).toEqual(before)
  })

  it('names every problem of its options at once', () => {
    expect(() =>
      smallBcqAgent(core, { batchSize: 0, latentSize: 0.5, pessimism: 2, reach: -1, hidden: [] }, 0),
    ).toThrow(/latentSize.*batchSize.*hidden.*pessimism.*reach/)
  })
})

describe('a saved BCQ agent', () => {
  it('continues to the byte: 60 updates are 30, save, load, 30', () => {
    const whole = smallBcqAgent(core)
    whole.update(60)
    const first = smallBcqAgent(core)
    first.update(30)
    const second = smallBcqAgent(core, { seed: 99 }, 3)
    second.load(first.save())
    second.update(30)
    expect(second.save()).toEqual(whole.save())
    expect(action(second)).toEqual(action(whole))
  })

  const edit = (tensors: Tensor[], name: string): Tensor[] => tensors.filter((tensor) => tensor.name !== name)
  it.each([
    ['a tensor is missing', () => edit(smallBcqAgent(core).save(), 'adam.decoder.v'), 'tensor_missing'],
    ['a network is of another shape', () => smallBcqAgent(core, { hidden: [4] }).save(), 'tensor_mismatch'],
    ['there are more candidates', () => smallBcqAgent(core, { actingCandidates: 10 }).save(), 'tensor_mismatch'],
    ['the ring is larger', () => smallBcqAgent(core, { capacity: 64 }, 30).save(), 'replay_invalid'],
  ] as const)('is refused whole where %s', (_, tensors, code) => {
    const kernel = smallBcqAgent(core, { seed: 8 })
    kernel.update(2)
    const before = kernel.save()
    expect(() => kernel.load(tensors())).toThrow(expect.objectContaining({ code }))
    expect(kernel.save()).toEqual(before)
  })
})

describe('the pieces of BCQ', () => {
  it('take the best candidate of a soft minimum, and no future after an end', () => {
    const goals = softClippedGoals(
      core,
      { first: Float32Array.of(1, 4, 0, 0), second: Float32Array.of(3, 2, 8, 1) },
      { rewards: Float32Array.of(0.5, 0.5), terminated: Float32Array.of(0, 1) },
      { pessimism: 0.75, discount: 0.5 },
    )
    expect([...goals]).toEqual([0.5 + 0.5 * 2.5, 0.5])
  })

  it('move an action by at most φ and never past its bound', () => {
    const moved = moveActions(core, Float32Array.of(0, 0.75, -1), Float32Array.of(1, 1, -1), 0.5)
    expect([...moved]).toEqual([0.5, 1, -1])
  })

  it('refuse arrays that do not fit', () => {
    expect(() => moveActions(core, new Float32Array(2), new Float32Array(3), 0.5)).toThrow(
      expect.objectContaining({ code: 'size_mismatch' }),
    )
  })
})
