// The whole update in f64: gradients against central differences, goals against a slow twin.
import { beforeAll, describe, expect, it } from 'vitest'
import * as abi from '../../src/abi.js'
import { centralDifferences, type Real64, relativeGap, startReal64 } from '../builds.js'
import { runTwin, toTwin } from '../twins.js'
import { smallBcq } from './bcq-agent.js'
import { transition } from './ddpg-agent.js'

let real64: Real64
beforeAll(async () => {
  real64 = await startReal64()
})

const INDICES = [1, 4, 4, 9, 6, 12]
const { stateSize: S, actionSize: A, latentSize: Z, hidden, targetCandidates } = smallBcq

class RawBcq {
  readonly pointer: number

  constructor(options: Partial<typeof smallBcq> = {}) {
    const o = { ...smallBcq, ...options }
    const e = real64.exports
    const sizes = [S, A, o.batchSize, o.capacity, Z, o.targetCandidates, o.actingCandidates]
    const words = [...sizes, hidden.length, ...hidden]
    const shape = real64.allocate(e.bcq_shape_bytes(hidden.length))
    new Int32Array(e.memory.buffer, shape, words.length).set(words)
    this.pointer = real64.allocate(e.bcq_bytes(shape))
    e.bcq_create(this.pointer, shape, o.seed, 0, o.latentBound)
    e.bcq_configure(this.pointer, o.learningRate, o.discount, o.targetRate, o.reach, o.pessimism, o.divergenceWeight)
    const io = this.at(abi.BCQ_IO)
    for (let i = 0; i < 13; i++) {
      const t = transition(i)
      const record = [...t.state, ...t.action, ...t.next, 0, 0, t.reward, Number(t.terminated), 0]
      real64.f64(io, record.length).set(record)
      expect(e.bcq_insert(this.pointer)).toBe(abi.OK)
    }
    const indices = this.at(abi.BCQ_INDICES)
    new Int32Array(e.memory.buffer, indices, INDICES.length).set(INDICES)
    e.bcq_draw(this.pointer)
  }

  at(which: number): number {
    return real64.exports.bcq_pointer(this.pointer, which)
  }

  read(block: number, net: number): Float64Array {
    const length = real64.exports.bcq_canonical(this.pointer, net)
    const staging = real64.allocate(8 * length)
    real64.exports.bcq_convert(this.pointer, block, net, staging, 0)
    const values = real64.f64(staging, length).slice()
    real64.exports.memory_release(staging)
    return values
  }

  write(block: number, net: number, values: Float64Array): void {
    const staging = real64.put(values)
    real64.exports.bcq_convert(this.pointer, block, net, staging, 1)
    real64.exports.memory_release(staging)
  }

  learn(): void {
    real64.exports.bcq_learn(this.pointer)
  }

  get(which: number): number {
    return real64.exports.bcq_get(this.pointer, which)
  }
}

/** With these an update computes everything and moves nothing. */
const STILL = { learningRate: 0, targetRate: 0 }
const vaeLoss = (agent: RawBcq): number =>
  agent.get(abi.BCQ_RECONSTRUCTION_LOSS) + smallBcq.divergenceWeight * agent.get(abi.BCQ_DIVERGENCE)

describe('BCQ gradients, by central differences', () => {
  it.each([
    ['encoder', abi.BCQ_ENCODER, vaeLoss],
    ['decoder', abi.BCQ_DECODER, vaeLoss],
    ['perturbation through the first critic', abi.BCQ_PERTURBATION, (a: RawBcq) => a.get(abi.BCQ_ACTOR_LOSS)],
    ['first critic', abi.BCQ_FIRST_CRITIC, (a: RawBcq) => a.get(abi.BCQ_CRITIC_LOSS)],
    ['second critic', abi.BCQ_SECOND_CRITIC, (a: RawBcq) => a.get(abi.BCQ_CRITIC_LOSS)],
  ] as const)('%s', (_, net, loss) => {
    const agent = new RawBcq(STILL)
    agent.learn()
    const analytic = agent.read(abi.BCQ_GRADIENT, net)
    const numeric = centralDifferences(agent.read(abi.BCQ_LIVE, net), (parameters) => {
      agent.write(abi.BCQ_LIVE, net, parameters)
      agent.learn()
      return loss(agent)
    })
    expect(agent.get(abi.BCQ_UPDATES)).toBeGreaterThan(10)
    expect(relativeGap(analytic, numeric)).toBeLessThan(1e-7)
  })

  it('has no slope where log σ is cut', () => {
    const agent = new RawBcq(STILL)
    const encoder = agent.read(abi.BCQ_LIVE, abi.BCQ_ENCODER)
    encoder.fill(-20, encoder.length - Z) // the biases of log σ
    agent.write(abi.BCQ_LIVE, abi.BCQ_ENCODER, encoder)
    agent.learn()
    const gradient = agent.read(abi.BCQ_GRADIENT, abi.BCQ_ENCODER)
    expect([...gradient.subarray(gradient.length - Z)]).toEqual([0, 0, 0, 0])
    const deviations = real64.f64(agent.at(abi.BCQ_DEVIATIONS), Z)
    expect(deviations[0]).toBeCloseTo(Math.exp(-4), 12)
  })
})

describe('the BCQ update', () => {
  it('makes the goals of the slow twin', () => {
    const agent = new RawBcq(STILL)
    agent.learn()
    const nets = (block: number, net: number, inputs: number, out: number, last: string) => {
      const layers = toTwin([inputs, ...hidden, out], agent.read(block, net))
      return (x: number[]): number[] => runTwin(layers, ['relu', 'relu', last], x)
    }
    const decode = nets(abi.BCQ_LIVE, abi.BCQ_DECODER, S + Z, A, 'tanh')
    const shift = nets(abi.BCQ_TARGET, abi.BCQ_PERTURBATION, S + A, A, 'tanh')
    const critics = [abi.BCQ_FIRST_CRITIC, abi.BCQ_SECOND_CRITIC].map((net) =>
      nets(abi.BCQ_TARGET, net, S + A, 1, 'linear'),
    )
    const rows = INDICES.length * targetCandidates
    const latents = real64.f64(agent.at(abi.BCQ_TARGET_LATENTS), rows * Z)
    expect(Math.max(...latents.map(Math.abs))).toBe(0.5) // normals cut at the bound
    const goals = INDICES.map((index, i) => {
      const t = transition(index)
      const candidates = Array.from({ length: targetCandidates }, (_, k) => {
        const from = (i * targetCandidates + k) * Z
        const action = decode([...t.next, ...latents.subarray(from, from + Z)])
        const moved = shift([...t.next, ...action]).map((s, j) => Math.max(-1, Math.min(1, action[j]! + 0.05 * s)))
        const [a, b] = critics.map((critic) => critic([...t.next, ...moved])[0]!) as [number, number]
        return 0.75 * Math.min(a, b) + 0.25 * Math.max(a, b)
      })
      return t.reward + (t.terminated ? 0 : 0.9 * Math.max(...candidates))
    })
    expect(relativeGap(real64.f64(agent.at(abi.BCQ_GOALS), goals.length), goals)).toBeLessThan(1e-12)
  })

  it('moves everything by Adam on those gradients, then the targets', () => {
    const agent = new RawBcq()
    const nets = [abi.BCQ_ENCODER, abi.BCQ_DECODER, abi.BCQ_PERTURBATION, abi.BCQ_FIRST_CRITIC, abi.BCQ_SECOND_CRITIC]
    const before = nets.map((net) => agent.read(abi.BCQ_LIVE, net))
    agent.learn()
    for (const [i, net] of nets.entries()) {
      const gradient = agent.read(abi.BCQ_GRADIENT, net)
      // Adam's first step: rate · g / (|g| + ε)
      const expected = before[i]!.map((value, j) => value - (1e-3 * gradient[j]!) / (Math.abs(gradient[j]!) + 1e-8))
      expect(relativeGap(agent.read(abi.BCQ_LIVE, net), expected)).toBeLessThan(1e-6)
      if (net < abi.BCQ_PERTURBATION) continue
      const followed = before[i]!.map((value, j) => value + 0.01 * (expected[j]! - value))
      expect(relativeGap(agent.read(abi.BCQ_TARGET, net), followed)).toBeLessThan(1e-8)
    }
  })
})
