// The whole update in f64: gradients of weights and contexts against central differences, its steps against a slow twin.
import { beforeAll, describe, expect, it } from 'vitest'
import * as abi from '../../src/abi.js'
import { centralDifferences, type Real64, relativeGap, startReal64, wave } from '../builds.js'
import { adamTwin, runTwin, toTwin } from '../twins.js'

let real64: Real64
beforeAll(async () => {
  real64 = await startReal64()
})

const STATE = 3
const CONTEXT = 2
const ACTIONS = 4
const HIDDEN = [7, 6]
const BATCH = 6
const STORED = 10
const INDICES = [1, 4, 4, 9, 6, 2]
const context = wave(CONTEXT, 9)

interface Hyper {
  readonly loss: number
  readonly isDouble: boolean
  readonly learningRate: number
  readonly weightDecay: number
  readonly maxNorm: number
  readonly targetRate: number
  readonly targetInterval: number
}
const STILL: Hyper = {
  loss: abi.LOSS_HUBER,
  isDouble: true,
  learningRate: 0,
  weightDecay: 0,
  maxNorm: 0,
  targetRate: 0,
  targetInterval: 1,
}
const DISCOUNT = 0.9

const transition = (i: number) => ({
  state: [...wave(STATE, 10 * i + 1)],
  action: (i * 7) % ACTIONS,
  next: [...wave(STATE, 10 * i + 2)],
  reward: 2 * wave(1, 10 * i + 3)[0]!, // both sides of the Huber loss
  terminated: i % 3 === 0,
})

class RawDqn {
  readonly pointer: number

  constructor(hyper: Hyper) {
    const e = real64.exports
    const words = [STATE, CONTEXT, ACTIONS, BATCH, STORED, 1, 1, HIDDEN.length, ...HIDDEN]
    const shape = real64.allocate(e.dqn_shape_bytes(HIDDEN.length))
    new Int32Array(e.memory.buffer, shape, words.length).set(words)
    this.pointer = real64.allocate(e.dqn_bytes(shape))
    e.dqn_create(this.pointer, shape, 5, 0)
    const { loss, isDouble, learningRate, weightDecay, maxNorm, targetRate, targetInterval } = hyper
    const rates = [learningRate, weightDecay, maxNorm, DISCOUNT, targetRate, targetInterval] as const
    e.dqn_configure(this.pointer, loss, isDouble ? 1 : 0, ...rates)
    for (let i = 0; i < STORED; i++) {
      const t = transition(i)
      const record = [...t.state, t.action, ...t.next, 0, t.reward, Number(t.terminated), 0]
      real64.f64(this.at(abi.OFF_POLICY_IO), record.length).set(record)
      expect(e.off_policy_insert(this.pointer, 0)).toBe(abi.OK)
    }
    this.setContext(context)
    // A target of its own, or the target term would hide in the online one.
    this.write(
      abi.DQN_TARGET,
      this.read(abi.DQN_TARGET).map((value, i) => value + 0.1 * wave(1, i)[0]!),
    )
  }

  at(which: number): number {
    return real64.exports.off_policy_pointer(this.pointer, which)
  }

  setContext(values: Float64Array): void {
    real64.f64(this.at(abi.OFF_POLICY_CONTEXT), CONTEXT).set(values)
  }

  read(which: number): Float64Array {
    const length = real64.exports.dqn_canonical(this.pointer)
    const staging = real64.allocate(8 * length)
    real64.exports.dqn_convert(this.pointer, which, staging, 0)
    const values = real64.f64(staging, length).slice()
    real64.exports.memory_release(staging)
    return values
  }

  write(which: number, values: Float64Array): void {
    const staging = real64.put(values)
    real64.exports.dqn_convert(this.pointer, which, staging, 1)
    real64.exports.memory_release(staging)
  }

  learn(): number {
    new Int32Array(real64.exports.memory.buffer, this.at(abi.OFF_POLICY_INDICES), BATCH).set(INDICES)
    real64.exports.dqn_learn(this.pointer)
    return real64.exports.dqn_get(this.pointer, abi.DQN_LOSS)
  }

  goals(): Float64Array {
    return real64.f64(this.at(abi.OFF_POLICY_GOALS), BATCH).slice()
  }
}

const SIZES = [STATE + CONTEXT, ...HIDDEN, ACTIONS]
const values = (parameters: ArrayLike<number>, state: number[], z: ArrayLike<number> = context): number[] =>
  runTwin(toTwin(SIZES, parameters), ['relu', 'relu', 'linear'], [...state, ...Array.from(z)])
const argmax = (x: readonly number[]): number => x.indexOf(Math.max(...x))

function goalsOf(online: ArrayLike<number>, target: ArrayLike<number>, isDouble: boolean): number[] {
  return INDICES.map(transition).map((t) => {
    const next = values(target, t.next)
    const best = argmax(isDouble ? values(online, t.next) : next)
    return t.reward + (t.terminated ? 0 : DISCOUNT * next[best]!)
  })
}

/** With goals held fast, as the update has them. */
function lossOf(loss: number, parameters: ArrayLike<number>, goals: ArrayLike<number>, z: ArrayLike<number>): number {
  const losses = INDICES.map(transition).map((t, i) => {
    const error = values(parameters, t.state, z)[t.action]! - goals[i]!
    if (loss === abi.LOSS_MSE) return error ** 2
    return Math.abs(error) < 1 ? error ** 2 / 2 : Math.abs(error) - 0.5
  })
  return losses.reduce((a, b) => a + b) / BATCH
}

const CASES = [
  ['huber, double', abi.LOSS_HUBER, true],
  ['huber, plain', abi.LOSS_HUBER, false],
  ['squared, double', abi.LOSS_MSE, true],
] as const

describe('DQN gradients, by central differences', () => {
  it.each(CASES)('of weights and context: %s', (_, loss, isDouble) => {
    const agent = new RawDqn({ ...STILL, loss, isDouble })
    agent.learn()
    const goals = agent.goals()
    const parameters = agent.read(abi.DQN_ONLINE)
    const numeric = centralDifferences(parameters, (moved) => lossOf(loss, moved, goals, context))
    expect(relativeGap(agent.read(abi.DQN_GRADIENT), numeric)).toBeLessThan(1e-7)
    const slopes = centralDifferences(context, (moved) => lossOf(loss, parameters, goals, moved))
    expect(relativeGap(real64.f64(agent.at(abi.OFF_POLICY_SLOPES), CONTEXT), slopes)).toBeLessThan(1e-7)
  })
})

describe('the DQN update', () => {
  it.each([
    ['double, soft target', { isDouble: true, targetRate: 0.05, targetInterval: 1 }],
    ['plain, copies every three updates', { isDouble: false, targetRate: 1, targetInterval: 3 }],
  ] as const)('agrees with the slow twin over ten updates: %s', (_, change) => {
    const hyper = { ...STILL, learningRate: 1e-2, weightDecay: 1e-3, maxNorm: 0.3, ...change }
    const agent = new RawDqn(hyper)
    const online = Array.from(agent.read(abi.DQN_ONLINE))
    let target = Array.from(agent.read(abi.DQN_TARGET))
    const [m, v] = [online.map(() => 0), online.map(() => 0)]
    const adam = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, decoupled: false, ...hyper }
    for (let step = 1; step <= 10; step++) {
      const goals = goalsOf(online, target, hyper.isDouble)
      const loss = (moved: ArrayLike<number>): number => lossOf(hyper.loss, moved, goals, context)
      expect(Math.abs(agent.learn() - loss(online))).toBeLessThan(1e-6)
      expect(relativeGap(agent.goals(), goals)).toBeLessThan(1e-6)
      adamTwin(adam, online, [...centralDifferences(Float64Array.from(online), loss)], m, v, step)
      if (step % hyper.targetInterval === 0)
        target = target.map((value, i) => value + hyper.targetRate * (online[i]! - value))
    }
    expect(relativeGap(agent.read(abi.DQN_ONLINE), online)).toBeLessThan(1e-5)
    expect(relativeGap(agent.read(abi.DQN_TARGET), target)).toBeLessThan(1e-5)
  })
})
