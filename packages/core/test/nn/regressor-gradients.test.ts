// One step in f64: gradients of weights and contexts against central differences, whole fits against a slow twin.
import { beforeAll, describe, expect, it } from 'vitest'
import * as abi from '../../src/abi.js'
import { centralDifferences, type Real64, relativeGap, startReal64, wave } from '../builds.js'
import { adamTwin, runTwin, toTwin } from '../twins.js'

let real64: Real64
beforeAll(async () => {
  real64 = await startReal64()
})

const FEATURES = 3
const CONTEXT = 2
const OUTPUTS = 2
const ROWS = 7
const GROUPS = 3
const HIDDEN = [6, 5]
const GROUP_OF = [0, 2, 2, 1, 0, 2, 1]
const SIZES = [FEATURES + CONTEXT, ...HIDDEN, OUTPUTS]
const x = wave(ROWS * FEATURES, 1)
const y = wave(ROWS * OUTPUTS, 2).map((value) => value + 1.7)
const contexts = wave(GROUPS * CONTEXT, 3)

interface Hyper {
  readonly loss: number
  readonly learningRate: number
  readonly weightDecay: number
  readonly maxNorm: number
  readonly dropout: number
}
const STILL: Hyper = { loss: abi.LOSS_MSE, learningRate: 0, weightDecay: 0, maxNorm: 0, dropout: 0 }

class RawRegressor {
  readonly pointer: number

  constructor(hyper: Hyper, contextSize = CONTEXT, batch = ROWS) {
    const e = real64.exports
    const words = [FEATURES, contextSize, OUTPUTS, batch, GROUPS, HIDDEN.length, ...HIDDEN]
    const shape = real64.allocate(e.regressor_shape_bytes(HIDDEN.length))
    new Int32Array(e.memory.buffer, shape, words.length).set(words)
    this.pointer = real64.allocate(e.regressor_bytes(shape))
    e.regressor_create(this.pointer, shape, 5, 0)
    e.regressor_configure(this.pointer, hyper.loss, hyper.learningRate, hyper.weightDecay, hyper.maxNorm, hyper.dropout)
  }

  at(which: number): number {
    return real64.exports.regressor_pointer(this.pointer, which)
  }

  read(which: number): Float64Array {
    const length = real64.exports.regressor_canonical(this.pointer)
    const staging = real64.allocate(8 * length)
    real64.exports.regressor_convert(this.pointer, which, staging, 0)
    const values = real64.f64(staging, length).slice()
    real64.exports.memory_release(staging)
    return values
  }

  write(values: Float64Array): void {
    const staging = real64.put(values)
    real64.exports.regressor_convert(this.pointer, abi.REGRESSOR_PARAMETERS, staging, 1)
    real64.exports.memory_release(staging)
  }

  learn(given = contexts): number {
    const inputs = real64.f64(this.at(abi.REGRESSOR_INPUTS), ROWS * (FEATURES + CONTEXT))
    for (let i = 0; i < ROWS; i++) inputs.set(x.subarray(i * FEATURES, (i + 1) * FEATURES), i * (FEATURES + CONTEXT))
    real64.f64(this.at(abi.REGRESSOR_GOALS), y.length).set(y)
    real64.f64(this.at(abi.REGRESSOR_CONTEXTS), given.length).set(given)
    new Int32Array(real64.exports.memory.buffer, this.at(abi.REGRESSOR_GROUPS), ROWS).set(GROUP_OF)
    real64.exports.regressor_learn(this.pointer, ROWS, GROUPS, 0)
    return real64.exports.regressor_get(this.pointer, abi.REGRESSOR_LOSS)
  }

  randomState(): Uint8Array {
    return new Uint8Array(real64.exports.memory.buffer, this.at(abi.REGRESSOR_RANDOM), 32)
  }
}

const LOSSES = [
  ['mse', abi.LOSS_MSE],
  ['l1', abi.LOSS_L1],
  ['mape', abi.LOSS_MAPE],
  ['huber', abi.LOSS_HUBER],
  ['log-mape', abi.LOSS_LOG_MAPE],
] as const

describe('regression gradients, by central differences', () => {
  it.each(LOSSES)('of the weights: %s', (_, loss) => {
    const regressor = new RawRegressor({ ...STILL, loss })
    regressor.learn()
    const analytic = regressor.read(abi.REGRESSOR_GRADIENT)
    const numeric = centralDifferences(regressor.read(abi.REGRESSOR_PARAMETERS), (parameters) => {
      regressor.write(parameters)
      return regressor.learn()
    })
    expect(relativeGap(analytic, numeric)).toBeLessThan(1e-7)
  })

  it.each(LOSSES)('of the contexts, summed over each group: %s', (_, loss) => {
    const regressor = new RawRegressor({ ...STILL, loss })
    regressor.learn()
    const analytic = real64.f64(regressor.at(abi.REGRESSOR_SLOPES), contexts.length).slice()
    const numeric = centralDifferences(contexts, (moved) => regressor.learn(moved))
    expect(relativeGap(analytic, numeric)).toBeLessThan(1e-7)
  })

  it('with dropout, the same units dropped', () => {
    const regressor = new RawRegressor({ ...STILL, dropout: 0.4 })
    const random = regressor.randomState().slice()
    regressor.learn()
    const analytic = regressor.read(abi.REGRESSOR_GRADIENT)
    const learnAgain = (): number => {
      regressor.randomState().set(random)
      return regressor.learn()
    }
    const numeric = centralDifferences(regressor.read(abi.REGRESSOR_PARAMETERS), (parameters) => {
      regressor.write(parameters)
      return learnAgain()
    })
    expect(relativeGap(analytic, numeric)).toBeLessThan(1e-7)
  })
})

/** Losses as their definitions say. */
const lossOf = (kind: number, output: number, goal: number): number => {
  const error = output - goal
  switch (kind) {
    case abi.LOSS_L1:
      return Math.abs(error)
    case abi.LOSS_MAPE:
      return Math.abs(error / goal)
    case abi.LOSS_HUBER:
      return Math.abs(error) < 1 ? error ** 2 / 2 : Math.abs(error) - 0.5
    case abi.LOSS_LOG_MAPE:
      return Math.abs(Math.exp(error) - 1)
    default:
      return error ** 2
  }
}

describe('whole steps', () => {
  it.each(LOSSES)('agree with a slow twin over ten of them, decay and clipping on: %s', (_, loss) => {
    const hyper = { loss, learningRate: 1e-2, weightDecay: 1e-2, maxNorm: 0.2, dropout: 0 }
    const regressor = new RawRegressor(hyper)
    const theta = Array.from(regressor.read(abi.REGRESSOR_PARAMETERS))
    const m = theta.map(() => 0)
    const v = theta.map(() => 0)
    const adam = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, decoupled: false, ...hyper }
    const twinLoss = (parameters: ArrayLike<number>): number => {
      let sum = 0
      for (let i = 0; i < ROWS; i++) {
        const context = contexts.subarray(GROUP_OF[i]! * CONTEXT, (GROUP_OF[i]! + 1) * CONTEXT)
        const input = [...x.subarray(i * FEATURES, (i + 1) * FEATURES), ...context]
        const out = runTwin(toTwin(SIZES, parameters), ['relu', 'relu', 'linear'], input)
        for (let j = 0; j < OUTPUTS; j++) sum += lossOf(loss, out[j]!, y[i * OUTPUTS + j]!)
      }
      return sum / (ROWS * OUTPUTS)
    }
    for (let step = 1; step <= 10; step++) {
      expect(Math.abs(regressor.learn() - twinLoss(theta))).toBeLessThan(1e-6)
      adamTwin(adam, theta, [...centralDifferences(Float64Array.from(theta), twinLoss)], m, v, step)
    }
    expect(relativeGap(regressor.read(abi.REGRESSOR_PARAMETERS), theta)).toBeLessThan(1e-5)
  })
})
