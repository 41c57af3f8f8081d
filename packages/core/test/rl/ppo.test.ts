import { beforeAll, describe, expect, it } from 'vitest'
import { type Core, createCore, Mlp } from '../../src/index.js'
import { type Context, ContextEncoder, PpoKernel } from '../../src/internal.js'
import { wave } from '../builds.js'
import { act, smallAgent, smallPpo } from './ppo-agent.js'

let core: Core
let scalar: Core
beforeAll(async () => {
  core = await createCore({ build: 'simd' })
  scalar = await createCore({ build: 'scalar' })
})

const STATE = Float32Array.of(0.3, -0.2, 0.9)
const GAUSSIAN = { policy: 'gaussian', actionSize: 2, initialLogDeviation: -0.5 } as const
const rollout = (kernel: PpoKernel, name: string): Float64Array => {
  const { bytes } = kernel.save().find((tensor) => tensor.name === `rollout.${name}`)!
  return new Float64Array(bytes.slice().buffer)
}

describe('PpoKernel', () => {
  it('gives the probabilities that its network and softmax give', () => {
    const kernel = smallAgent(core, {}, 0)
    const net = new Mlp(core, { sizes: [3, 10, 7, 4], activations: ['tanh', 'tanh', 'linear'] })
    net.setParameters(kernel.parameters('policy').map((weight) => 20 * weight))
    kernel.setParameters(
      'policy',
      kernel.parameters('policy').map((weight) => 20 * weight),
    )
    const [logits, found] = [new Float32Array(4), new Float32Array(4)]
    net.forward(STATE, logits)
    kernel.distribution(STATE, found)
    const total = logits.reduce((sum, x) => sum + Math.exp(x), 0)
    for (const [j, logit] of logits.entries()) expect(found[j]).toBeCloseTo(Math.exp(logit) / total, 6)
    const action = new Float32Array(1)
    kernel.act(STATE, action)
    expect(action[0]).toBe(logits.indexOf(Math.max(...logits)))
  })

  it('draws categories as often as they are probable, and a Gaussian with its mean and deviation', () => {
    const kernel = smallAgent(core, {}, 0)
    kernel.setParameters(
      'policy',
      kernel.parameters('policy').map((weight) => 30 * weight),
    )
    const [probabilities, action, counts] = [new Float32Array(4), new Float32Array(1), [0, 0, 0, 0]]
    kernel.distribution(STATE, probabilities)
    for (let i = 0; i < 4000; i++) {
      kernel.sample(STATE, action)
      counts[action[0]!]!++
    }
    for (const [j, count] of counts.entries()) expect(Math.abs(count / 4000 - probabilities[j]!)).toBeLessThan(0.03)

    const normal = smallAgent(core, GAUSSIAN, 0)
    const [mean, draw] = [new Float32Array(2), new Float32Array(2)]
    normal.act(STATE, mean)
    let squares = 0
    for (let i = 0; i < 4000; i++) {
      normal.sample(STATE, draw)
      squares += (draw[0]! - mean[0]!) ** 2
    }
    expect(Math.sqrt(squares / 4000)).toBeCloseTo(Math.exp(-0.5), 1)
  })

  it('chooses in each head by its own logits, as if the other were not there', () => {
    const logits = [0.3, -0.5, 1.2, 0.1, -0.4]
    const withHeads = (heads: readonly number[], own: readonly number[]): PpoKernel => {
      const kernel = new PpoKernel(core, { ...smallPpo, stateSize: 1, hidden: [], heads, actionSize: own.length })
      kernel.setParameters('policy', Float32Array.of(...own.map(() => 0), ...own)) // whatever the state
      return kernel
    }
    const both = withHeads([3, 2], logits)
    const [first, second] = [withHeads([3], logits.slice(0, 3)), withHeads([2], logits.slice(3))]
    const state = new Float32Array(1)
    const probabilitiesOf = (kernel: PpoKernel): Float32Array => {
      const found = new Float32Array(kernel.options.actionSize)
      kernel.distribution(state, found)
      return found
    }
    expect([...probabilitiesOf(both)]).toEqual([...probabilitiesOf(first), ...probabilitiesOf(second)])
    const action = new Float32Array(2)
    both.act(state, action)
    expect([...action]).toEqual([2, 0])
    both.insert(state, action, 0, state, true)
    first.insert(state, action.subarray(0, 1), 0, state, true)
    second.insert(state, action.subarray(1), 0, state, true)
    const log = (kernel: PpoKernel): number => rollout(kernel, 'logProbability')[0]!
    expect(log(both)).toBeCloseTo(log(first) + log(second), 12)
    const counts = Array(6).fill(0)
    for (let i = 0; i < 6000; i++) {
      both.sample(state, action)
      counts[2 * action[0]! + action[1]!]++
    }
    const [p, q] = [probabilitiesOf(first), probabilitiesOf(second)]
    for (const [i, count] of counts.entries())
      expect(Math.abs(count / 6000 - p[i >> 1]! * q[i % 2]!)).toBeLessThan(0.03)
  })

  it('starts orthogonal: W Wᵀ is the gain squared on the diagonal, biases are 0, the policy nearly indifferent', () => {
    const kernel = new PpoKernel(core, { ...smallPpo, stateSize: 12, hidden: [8, 16] })
    const weights = kernel.parameters('value')
    const row = (i: number): number[] => [...weights.subarray(12 * i, 12 * i + 12)]
    for (let i = 0; i < 8; i++) {
      for (let j = 0; j <= i; j++) {
        const product = row(i).reduce((sum, w, k) => sum + w * row(j)[k]!, 0)
        expect(product).toBeCloseTo(i === j ? 2 : 0, 5)
      }
    }
    expect([...weights.subarray(96, 104)]).toEqual(Array(8).fill(0))
    const probabilities = new Float32Array(4)
    kernel.distribution(new Float32Array(12).fill(1), probabilities)
    for (const p of probabilities) expect(Math.abs(p - 0.25)).toBeLessThan(0.02)
  })

  it.each([
    ['categories', {}],
    ['normals', GAUSSIAN],
    [
      'a wide net, contexts, Monte-Carlo returns',
      { hidden: [33], contextSize: 3, partitions: 2, returns: 'monte-carlo' },
    ],
    ['heads, a critic that sees more', { heads: [1, 3], globalSize: 2, contextSize: 2, partitions: 3 }],
    ['draws with replacement, relu, value clip', { draw: 'replacement', activation: 'relu', valueClip: 0.1 }],
    ['one norm for both nets, advantages of the rollout', { sharedNorm: true, normalise: 'rollout' }],
  ] as const)('gives the same bits from the scalar and the SIMD build: %s', (_, options) => {
    const [a, b] = [core, scalar].map((host) => {
      const kernel = smallAgent(host, options, 20)
      kernel.update(4)
      for (let i = 0; i < 9; i++) act(kernel, i)
      return kernel.save()
    })
    expect(b).toEqual(a)
  })

  it('uses every step once in an epoch: 20 steps in mini-batches of 6 are four Adam steps', () => {
    const kernel = smallAgent(core)
    kernel.update(3)
    expect(kernel.report()).toMatchObject({ updates: 12, skipped: 0, restored: 0 })
    expect(kernel.size).toBe(0)
  })

  it('starts with ratios of 1, whoever stored the step', () => {
    const kernel = smallAgent(core, { policyLearningRate: 0, valueLearningRate: 0 })
    kernel.prepare()
    kernel.epoch()
    expect(kernel.report().divergence).toBeCloseTo(0, 12)
    expect(kernel.report().clippedShare).toBe(0)
  })

  it('keeps the probability of the moment when weights change in mid-rollout', () => {
    const kernel = smallAgent(core)
    const before = rollout(kernel, 'logProbability')
    kernel.setParameters(
      'policy',
      kernel.parameters('policy').map((weight) => 30 * weight),
    )
    kernel.prepare()
    expect(rollout(kernel, 'logProbability')).toEqual(before)
    kernel.learnOn([0, 1, 2])
    expect(kernel.report().divergence).toBeGreaterThan(0)
  })

  it('keeps apart streams that take turns: their returns are those of each alone', () => {
    const both = smallAgent(core, { partitions: 2 }, 0)
    const alone = smallAgent(core, {}, 0)
    const put = (kernel: PpoKernel, i: number, partition: number): void =>
      kernel.insert(STATE, Float32Array.of(0), i, STATE, false, partition)
    for (let i = 0; i < 6; i++) {
      put(both, i, 0)
      put(both, -i, 1)
      put(alone, i, 0)
      if (i === 2) for (const kernel of [both, alone]) kernel.endEpisode(0)
    }
    both.prepare()
    alone.prepare()
    expect(rollout(both, 'return').filter((_, row) => row % 2 === 0)).toEqual(rollout(alone, 'return'))
  })

  it('learns the better choice of a one-step world with either head', () => {
    for (const options of [{}, GAUSSIAN]) {
      const kernel = new PpoKernel(core, { ...smallPpo, ...options, capacity: 64, miniBatchSize: 16 })
      const isGaussian = kernel.options.policy === 'gaussian'
      const action = new Float32Array(isGaussian ? 2 : 1)
      for (let i = 0; i < 40 * 64; i++) {
        const state = Float32Array.from(wave(3, i))
        kernel.sample(state, action)
        // The best choice is 2 where the first number is positive and 1 elsewhere; the best numbers are ±0.5 and 0.25.
        const reward = isGaussian
          ? -((action[0]! - Math.sign(state[0]!) * 0.5) ** 2) - (action[1]! - 0.25) ** 2
          : Number(action[0] === (state[0]! > 0 ? 2 : 1))
        kernel.insert(state, action, reward, state, true)
        if (kernel.size === 64) kernel.update(6)
      }
      const found = [0.8, -0.8].map((first) => {
        kernel.act(Float32Array.of(first, 0, 0), action)
        return [...action]
      })
      if (!isGaussian) expect(found).toEqual([[2], [1]])
      else {
        expect(found[0]![0]).toBeGreaterThan(0.25)
        expect(found[1]![0]).toBeLessThan(-0.25)
        expect(Math.abs(found[0]![1]! - 0.25)).toBeLessThan(0.2)
      }
    }
  })
})

describe('PpoKernel with contexts', () => {
  const options = { contextSize: 2, partitions: 3 } as const
  const context = (members: number, phase: number): Context => ({
    steps: Float32Array.from(wave(members * 4 * 3, phase)),
    lengths: Int32Array.from({ length: members }, (_, i) => 2 + (i % 2)),
  })
  const makeEncoder = (dense = [2]): ContextEncoder =>
    new ContextEncoder(core, {
      ...{ kind: 'set', inputSize: 3, hiddenSize: 8, dense, maxContexts: 3, maxSequences: 4, maxSteps: 4 },
      ...{ learningRate: 1e-2, seed: 3 },
    })

  it('acts on the context that is set, and on the null context before', () => {
    const kernel = smallAgent(core, options, 0)
    const value = kernel.value(STATE)
    kernel.setContext(Float32Array.of(1, -1))
    expect(kernel.value(STATE)).not.toBe(value)
    kernel.setContext(new Float32Array(2))
    expect(kernel.value(STATE)).toBe(value)
  })

  it('learns from chosen partitions alone', () => {
    const kernel = smallAgent(core, options, 21)
    kernel.updatePairs(2, Int32Array.of(2, 0), Float32Array.of(0.1, 0.2, 0.3, 0.4))
    expect(kernel.report().updates).toBe(2 * 3) // 14 steps in mini-batches of 6
    expect([...kernel.slopes().subarray(2, 4)]).toEqual([0, 0])
    expect(
      kernel
        .slopes()
        .subarray(0, 2)
        .every((slope) => slope !== 0),
    ).toBe(true)
  })

  it('hands an encoder the embeddings’ slopes: it steps once an epoch, as it would outside the core', () => {
    const contexts = [context(2, 1), context(0, 2), context(3, 3)]
    const [kernel, twin] = [smallAgent(core, options, 21), smallAgent(core, options, 21)]
    const [encoder, apart] = [makeEncoder(), makeEncoder()]
    const partitions = Int32Array.of(0, 1, 2)
    kernel.updatePairs(3, partitions, { contexts, encoder })
    const z = new Float32Array(6)
    apart.encode(contexts, z)
    twin.prepare(partitions, z)
    for (let i = 0; i < 3; i++) {
      // The old values and advantages stay those of the first embeddings.
      const prepared = twin.save().map((tensor) => {
        if (tensor.name !== 'contexts') return tensor
        apart.encode(contexts, z)
        return { ...tensor, bytes: new Uint8Array(z.slice().buffer) }
      })
      twin.load(prepared)
      twin.epoch()
      expect(apart.learn(contexts, twin.slopes())).toBe(true)
    }
    expect(encoder.report().updates).toBe(3)
    expect(encoder.parameters()).toEqual(apart.parameters())
    expect(kernel.parameters('value')).toEqual(twin.parameters('value'))
    expect(kernel.parameters('policy')).toEqual(twin.parameters('policy'))
  })

  it.each([
    [
      'a partition twice',
      (k: PpoKernel) => k.updatePairs(1, Int32Array.of(1, 1), new Float32Array(4)),
      'partition_invalid',
    ],
    [
      'a partition beyond',
      (k: PpoKernel) => k.updatePairs(1, Int32Array.of(3), new Float32Array(2)),
      'partition_invalid',
    ],
    ['too few numbers', (k: PpoKernel) => k.updatePairs(1, Int32Array.of(0, 1), new Float32Array(3)), 'size_mismatch'],
    ['NaN', (k: PpoKernel) => k.updatePairs(1, Int32Array.of(0), Float32Array.of(0, NaN)), 'not_finite'],
    ['a context of another size', (k: PpoKernel) => k.setContext(new Float32Array(3)), 'size_mismatch'],
    [
      'an encoder of another size',
      (k: PpoKernel) => k.updatePairs(1, Int32Array.of(0), { contexts: [context(1, 1)], encoder: makeEncoder([5]) }),
      'size_mismatch',
    ],
  ] as const)('refuses %s and changes nothing', (_, call, code) => {
    const kernel = smallAgent(core, options, 21)
    const before = kernel.save()
    expect(() => call(kernel)).toThrow(expect.objectContaining({ code }))
    expect(kernel.save()).toEqual(before)
  })
})

describe('PpoKernel at the edges', () => {
  it('leaves the advantage of a mini-batch of one as it is', () => {
    const kernel = smallAgent(core)
    kernel.prepare()
    kernel.learnOn([3])
    expect(kernel.lastBatch(1).advantages[0]).toBe(rollout(kernel, 'advantage')[3])
  })

  it.each(['mini-batch', 'rollout'] as const)('takes equal advantages as 0 when normalised by %s', (normalise) => {
    const kernel = smallAgent(core, { normalise }, 0)
    const state = Float32Array.of(0.1, 0.2, 0.3)
    for (let i = 0; i < 4; i++) kernel.insert(state, Float32Array.of(1), 1e6 + 0.1, state, true)
    kernel.prepare()
    kernel.learnOn([0, 1, 2, 3])
    expect([...kernel.lastBatch(4).advantages]).toEqual([0, 0, 0, 0])
    expect(kernel.report()).toMatchObject({ updates: 1, skipped: 0 })
  })

  it('stores and learns from an action whose probability is 0 in f32', () => {
    const kernel = new PpoKernel(core, { ...smallPpo, hidden: [], actionSize: 2, stateSize: 1 })
    const probabilities = new Float32Array(2)
    const one = Float32Array.of(1)
    kernel.setParameters('policy', Float32Array.of(500, 0, 0, 0)) // logits 500 s and 0
    kernel.distribution(one, probabilities)
    expect([...probabilities]).toEqual([1, 0])
    kernel.insert(one, Float32Array.of(1), 5, one, true)
    kernel.insert(one, Float32Array.of(0), 0, one, true)
    expect(rollout(kernel, 'logProbability')[0]).toBeCloseTo(-500, 3)
    kernel.update(2)
    expect(kernel.report().skipped).toBe(0)
    expect(kernel.parameters('policy').every(Number.isFinite)).toBe(true)
    for (let i = 0; i < 200; i++) {
      const action = new Float32Array(1)
      kernel.sample(one, action)
      expect(action[0]).toBe(0)
    }
  })

  it('keeps a ratio within e^±20 and finite', () => {
    const kernel = new PpoKernel(core, { ...smallPpo, hidden: [], actionSize: 2, stateSize: 1, normalise: 'never' })
    const one = Float32Array.of(1)
    kernel.setParameters('policy', Float32Array.of(500, 0, 0, 0))
    kernel.insert(one, Float32Array.of(1), -5, one, true)
    kernel.setParameters('policy', Float32Array.of(-500, 0, 0, 0))
    kernel.prepare()
    kernel.learnOn([0])
    expect(kernel.lastBatch(1).ratios[0]).toBe(core.math.exp(20))
    expect(kernel.report()).toMatchObject({ updates: 1, skipped: 0 })
    expect([...kernel.gradients('policy')].every((slope) => Math.abs(slope) < 1e-6)).toBe(true) // the ratio is a constant there
  })

  it('answers NaN to NaN', () => {
    const [choice, numbers] = [new Float32Array(1), new Float32Array(2)]
    const state = Float32Array.of(0, NaN, 0)
    smallAgent(core, {}, 0).act(state, choice)
    smallAgent(core, GAUSSIAN, 0).act(state, numbers)
    expect([...choice, ...numbers]).toEqual([NaN, NaN, NaN])
  })

  it.each([
    [
      'a state',
      (k: PpoKernel) => k.insert(Float32Array.of(0, NaN, 0), Float32Array.of(1), 0, STATE, false),
      /state\[1\] is NaN/,
    ],
    [
      'a next state',
      (k: PpoKernel) => k.insert(STATE, Float32Array.of(1), 0, Float32Array.of(0, 0, Infinity), false),
      /nextState\[2\]/,
    ],
    ['a reward', (k: PpoKernel) => k.insert(STATE, Float32Array.of(1), NaN, STATE, false), /reward is NaN/],
    ['an action', (k: PpoKernel) => k.insert(STATE, Float32Array.of(NaN), 0, STATE, false), /action\[0\] is NaN/],
  ] as const)('refuses %s that is not finite and stores nothing', (_, insert, message) => {
    const kernel = smallAgent(core)
    const before = kernel.save()
    expect(() => insert(kernel)).toThrow(
      expect.objectContaining({ code: 'transition_not_finite', message: expect.stringMatching(message) }),
    )
    expect(kernel.save()).toEqual(before)
  })

  it('skips steps whose loss is not finite, and brings the last good weights back after three', () => {
    const kernel = smallAgent(core, { normalise: 'never' })
    kernel.update(1)
    const good = kernel.save()
    const nets = (): Float32Array[] => [kernel.parameters('policy'), kernel.parameters('value')]
    const [policy, value] = nets()
    for (let i = 0; i < 6; i++) kernel.insert(STATE, Float32Array.of(0), 1e200, STATE, true)
    kernel.update(2)
    expect(kernel.report()).toMatchObject({ updates: 4, skipped: 2, restored: 0 })
    expect(nets()).toEqual([policy, value])
    for (let i = 0; i < 6; i++) kernel.insert(STATE, Float32Array.of(0), 1e200, STATE, true)
    kernel.update(1)
    expect(kernel.report()).toMatchObject({ updates: 4, skipped: 3, restored: 1 })
    const kept = good.find(({ name }) => name === 'lastGood')!
    expect(kernel.save().find(({ name }) => name === 'lastGood')).toEqual(kept)
    act(kernel, 1)
    kernel.update(1)
    expect(kernel.report()).toMatchObject({ updates: 5, skipped: 3 })
  })

  it.each([
    ['to update from nothing', (k: PpoKernel) => k.update(), 'rollout_empty'],
    ['an epoch over nothing', (k: PpoKernel) => k.epoch(), 'rollout_empty'],
    ['steps that are not there', (k: PpoKernel) => k.learnOn([0]), 'index_invalid'],
    ['a mini-batch too large', (k: PpoKernel) => k.learnOn([0, 0, 0, 0, 0, 0, 0]), 'size_mismatch'],
    ['a state of another size', (k: PpoKernel) => k.act(new Float32Array(2), new Float32Array(1)), 'size_mismatch'],
    ['a choice that is none', (k: PpoKernel) => k.insert(STATE, Float32Array.of(4), 0, STATE, false), 'action_invalid'],
    ['a global that it has not', (k: PpoKernel) => k.value(STATE, new Float32Array(1)), 'size_mismatch'],
    ['half a choice', (k: PpoKernel) => k.insert(STATE, Float32Array.of(0.5), 0, STATE, false), 'action_invalid'],
    ['another partition', (k: PpoKernel) => k.endEpisode(1), 'partition_invalid'],
    ['a negative clip', (k: PpoKernel) => k.set('clip', -1), 'config_invalid'],
    ['NaN parameters', (k: PpoKernel) => k.setParameters('value', k.parameters('value').fill(NaN)), 'not_finite'],
  ] as const)('refuses %s', (_, call, code) => {
    const kernel = smallAgent(core, {}, 0)
    const before = kernel.save()
    expect(() => call(kernel)).toThrow(expect.objectContaining({ code }))
    expect(kernel.save()).toEqual(before)
  })

  it('refuses a step more than it has room for', () => {
    const kernel = smallAgent(core, { capacity: 20 })
    expect(() => act(kernel, 21)).toThrow(expect.objectContaining({ code: 'rollout_full' }))
    expect(kernel.size).toBe(20)
  })

  it.each([
    ['that do not sum to its categories', { heads: [2, 3] }],
    ['of nothing', { heads: [4, 0] }],
    ['in a Gaussian', { ...GAUSSIAN, heads: [2] }],
  ])('refuses heads %s', (_, options) => {
    expect(() => smallAgent(core, options)).toThrow(/heads/)
  })

  it('names every problem of its options at once', () => {
    expect(() => smallAgent(core, { miniBatchSize: 0, lambda: 2, clip: 1, activation: 'elu' as 'relu' })).toThrow(
      /miniBatchSize.*activation.*lambda.*clip/,
    )
  })
})
