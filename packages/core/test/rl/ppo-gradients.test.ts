// One mini-batch in f64: its gradients against central differences of the loss as the paper writes it.
import { beforeAll, describe, expect, it } from 'vitest'
import * as abi from '../../src/abi.js'
import type { PpoKernelOptions } from '../../src/internal.js'
import { wordsOf } from '../../src/memory/arena.js'
import { adamArguments, lossArguments, shapeOf, withDefaults } from '../../src/rl/ppo-options.js'
import { centralDifferences, type Real64, relativeGap, startReal64, wave } from '../builds.js'
import { runTwin, toTwin } from '../twins.js'
import { smallPpo } from './ppo-agent.js'

let real64: Real64
beforeAll(async () => {
  real64 = await startReal64()
})

const N = 6
const Z = 2
const G = 2
const groupOf = (i: number): number => i % 2
const rows = Array.from({ length: N }, (_, i) => i)

/** A prepared rollout of N steps whose old log-probabilities and returns are moved so that some ratios and values are clipped. */
class Raw {
  readonly options: Required<PpoKernelOptions>
  readonly pointer: number
  readonly states = rows.map((i) => [...wave(3, 10 * i)])
  readonly globals: number[][]
  readonly contexts = [
    [0.3, -0.7],
    [-0.2, 0.9],
  ]
  readonly actions: number[][]
  readonly old: number[]
  readonly oldValues: number[]
  readonly returns: number[]
  readonly advantages = rows.map((i) => wave(1, 40 + i)[0]! * 2)

  /** @param loss  what the mini-batch is learned by */
  constructor(options: Partial<PpoKernelOptions>, loss: 'clipped' | 'imitation' = 'clipped') {
    const e = real64.exports
    this.options = withDefaults({
      ...smallPpo,
      ...{ contextSize: Z, partitions: 2, policyLearningRate: 0, valueLearningRate: 0, normalise: 'never' },
      ...options,
    })
    const { hidden, heads, policy, actionSize, globalSize } = this.options
    this.globals = rows.map((i) => [...wave(globalSize, 70 + i)])
    const shape = real64.allocate(e.ppo_shape_bytes(hidden.length, heads.length))
    const words = wordsOf(shapeOf(this.options))
    new Int32Array(e.memory.buffer, shape, words.length).set(words)
    this.pointer = real64.allocate(e.ppo_bytes(shape))
    e.ppo_create(this.pointer, shape, 0, 5, 0)
    e.ppo_configure_adam(this.pointer, ...adamArguments(this.options))
    e.ppo_configure(this.pointer, ...lossArguments(this.options))
    this.actions = rows.map((i) =>
      policy === 'gaussian' ? [...wave(actionSize, 90 + i)] : heads.map((size, h) => (i + h) % size),
    )
    for (const i of rows) {
      const seen = [...this.states[i]!, 0, 0, ...this.globals[i]!]
      const record = [...seen, ...seen, ...this.actions[i]!]
      real64.f64(e.ppo_pointer(this.pointer, abi.PPO_IO), record.length).set(record)
      expect(e.ppo_insert(this.pointer, 0, 0, groupOf(i))).toBe(abi.OK)
    }
    real64.f64(e.ppo_pointer(this.pointer, abi.PPO_CONTEXTS), 2 * Z).set(this.contexts.flat())
    expect(e.ppo_prepare(this.pointer, 0)).toBe(abi.OK)
    this.oldValues = this.column(abi.PPO_VALUES).map((value, i) => value + [0, 0.15, -0.15, 0.02, -0.3, 0.3][i]!)
    this.returns = this.oldValues.map((value, i) => value + wave(1, 60 + i)[0]!)
    const policyNow = this.read(abi.PPO_POLICY)
    this.old = rows.map((i) => this.logProbability(policyNow, i) + [0.3, -0.3, 0.05, -0.05, 0.5, -0.5][i]!)
    for (const [which, values] of [
      [abi.PPO_VALUES, this.oldValues],
      [abi.PPO_RETURNS, this.returns],
      [abi.PPO_LOG_PROBABILITIES, this.old],
      [abi.PPO_ADVANTAGES, this.advantages],
    ] as const) {
      real64.f64(e.ppo_pointer(this.pointer, which), N).set(values)
    }
    new Int32Array(e.memory.buffer, e.ppo_pointer(this.pointer, abi.PPO_ORDER), N).set(rows)
    e.ppo_learn(this.pointer, N, loss === 'imitation' ? 1 : 0)
    expect(e.ppo_get(this.pointer, abi.PPO_UPDATES)).toBe(1)
  }

  column(which: number): number[] {
    return [...real64.f64(real64.exports.ppo_pointer(this.pointer, which), N)]
  }

  read(which: number): Float64Array {
    const length = real64.exports.ppo_canonical(this.pointer, which)
    const staging = real64.allocate(8 * length)
    real64.exports.ppo_convert(this.pointer, which, staging, 0)
    return real64.f64(staging, length).slice()
  }

  slopes(): Float64Array {
    return real64.f64(real64.exports.ppo_pointer(this.pointer, abi.PPO_SLOPES), 2 * Z).slice()
  }

  input(i: number, contexts: readonly number[][] = this.contexts): number[] {
    return [...this.states[i]!, ...contexts[groupOf(i)]!]
  }

  run(parameters: ArrayLike<number>, outputs: number, input: number[]): number[] {
    const { hidden, activation } = this.options
    const kinds = [...hidden.map(() => activation), 'linear']
    return runTwin(toTwin([input.length, ...hidden, outputs], parameters), kinds, input)
  }

  /** Of the choices of each head. */
  logProbabilities(parameters: ArrayLike<number>, i: number): number[][] {
    const x = this.run(parameters, this.options.actionSize, this.input(i))
    return this.options.heads.map((size) => {
      const own = x.splice(0, size)
      const total = Math.log(own.reduce((sum, value) => sum + Math.exp(value), 0))
      return own.map((value) => value - total)
    })
  }

  logDeviations(parameters: ArrayLike<number>): number[] {
    return Array.from(parameters).slice(-this.options.actionSize)
  }

  logProbability(parameters: ArrayLike<number>, i: number): number {
    if (this.options.policy === 'categorical') {
      return this.logProbabilities(parameters, i).reduce((sum, logs, h) => sum + logs[this.actions[i]![h]!]!, 0)
    }
    const means = this.run(parameters, this.options.actionSize, this.input(i))
    const terms = this.logDeviations(parameters).map((d, j) => {
      const z = (this.actions[i]![j]! - means[j]!) / Math.exp(d)
      return -0.5 * z * z - d - 0.5 * Math.log(2 * Math.PI)
    })
    return terms.reduce((a, b) => a + b)
  }

  entropy(parameters: ArrayLike<number>, i: number): number {
    if (this.options.policy === 'categorical') {
      const logs = this.logProbabilities(parameters, i).flat()
      return -logs.reduce((sum, log) => sum + Math.exp(log) * log, 0)
    }
    return this.logDeviations(parameters).reduce((sum, d) => sum + d + 0.5 * Math.log(2 * Math.PI * Math.E), 0)
  }

  policyLoss(parameters: ArrayLike<number>): number {
    const { clip, entropyWeight } = this.options
    const losses = rows.map((i) => {
      const ratio = Math.exp(this.logProbability(parameters, i) - this.old[i]!)
      const held = Math.min(1 + clip, Math.max(1 - clip, ratio))
      const advantage = this.advantages[i]!
      return Math.max(-advantage * ratio, -advantage * held) - entropyWeight * this.entropy(parameters, i)
    })
    return losses.reduce((a, b) => a + b) / N
  }

  /** Cross-entropy of choices; of a Gaussian the negative log density. */
  imitationLoss(parameters: ArrayLike<number>): number {
    return rows.reduce((sum, i) => sum - this.logProbability(parameters, i), 0) / N
  }

  valueLoss(parameters: ArrayLike<number>, contexts: readonly number[][] = this.contexts): number {
    const { valueClip, valueWeight } = this.options
    const losses = rows.map((i) => {
      const value = this.run(parameters, 1, [...this.input(i, contexts), ...this.globals[i]!])[0]!
      const error = (value - this.returns[i]!) ** 2
      if (valueClip === 0) return error
      const move = Math.min(valueClip, Math.max(-valueClip, value - this.oldValues[i]!))
      return Math.max(error, (this.oldValues[i]! + move - this.returns[i]!) ** 2)
    })
    return (valueWeight * losses.reduce((a, b) => a + b)) / N
  }
}

describe('PPO gradients, by central differences', () => {
  it.each([
    ['categorical', { policy: 'categorical' }],
    ['categorical with a large entropy weight', { policy: 'categorical', entropyWeight: 2 }],
    ['categorical of three heads', { actionSize: 9, heads: [4, 2, 3], entropyWeight: 0.5 }],
    ['categorical, beside a critic that sees more', { heads: [2, 2], globalSize: G }],
    ['Gaussian', { policy: 'gaussian', actionSize: 2 }],
    ['Gaussian with a large entropy weight', { policy: 'gaussian', actionSize: 2, entropyWeight: 2 }],
  ] as const)('policy, %s', (_, options) => {
    const raw = new Raw(options)
    expect(raw.column(abi.PPO_BATCH)).toEqual(raw.advantages)
    const numeric = centralDifferences(raw.read(abi.PPO_POLICY), (parameters) => raw.policyLoss(parameters))
    expect(relativeGap(raw.read(abi.PPO_POLICY_GRADIENT), numeric)).toBeLessThan(1e-7)
  })

  it.each([
    ['one head', {}],
    ['two heads, beside a critic that sees more', { heads: [1, 3], globalSize: G, entropyWeight: 0.5 }],
  ] as const)('policy that imitates choices, %s', (_, options) => {
    const raw = new Raw(options, 'imitation')
    const numeric = centralDifferences(raw.read(abi.PPO_POLICY), (parameters) => raw.imitationLoss(parameters))
    expect(relativeGap(raw.read(abi.PPO_POLICY_GRADIENT), numeric)).toBeLessThan(1e-7)
  })

  it('policy that imitates numbers: its means learn, its deviations do not', () => {
    const raw = new Raw({ policy: 'gaussian', actionSize: 2, entropyWeight: 2 }, 'imitation')
    const numeric = centralDifferences(raw.read(abi.PPO_POLICY), (parameters) => raw.imitationLoss(parameters))
    numeric.fill(0, numeric.length - 2)
    expect(relativeGap(raw.read(abi.PPO_POLICY_GRADIENT), numeric)).toBeLessThan(1e-7)
  })

  it.each([
    ['unclipped', { valueClip: 0 }],
    ['clipped', { valueClip: 0.1 }],
    ['of a critic that sees more', { globalSize: G }],
    ['clipped, of a critic that sees more', { globalSize: G, valueClip: 0.1 }],
  ])('value, %s, and its slopes at the contexts', (_, options) => {
    const raw = new Raw(options)
    const value = raw.read(abi.PPO_VALUE)
    const numeric = centralDifferences(value, (parameters) => raw.valueLoss(parameters))
    expect(relativeGap(raw.read(abi.PPO_VALUE_GRADIENT), numeric)).toBeLessThan(1e-7)
    const slopes = centralDifferences(Float64Array.from(raw.contexts.flat()), (flat) =>
      raw.valueLoss(value, [[...flat.subarray(0, Z)], [...flat.subarray(Z)]]),
    )
    expect(relativeGap(raw.slopes(), slopes)).toBeLessThan(1e-7)
  })
})
