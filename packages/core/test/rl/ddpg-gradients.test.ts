// The whole update in f64: its gradients against central differences, its steps against a slow twin.
import { beforeAll, describe, expect, it } from 'vitest'
import * as abi from '../../src/abi.js'
import { centralDifferences, type Real64, relativeGap, startReal64 } from '../builds.js'
import { type PlainTransition, smallOptions, transition } from './ddpg-agent.js'
import { type DdpgTwin, startTwin, updateTwin } from './ddpg-twin.js'

let real64: Real64
beforeAll(async () => {
  real64 = await startReal64()
})

const INDICES = [1, 4, 4, 9, 6, 12]

type Hyper = typeof smallOptions

class RawAgent {
  readonly pointer: number

  constructor(options: Hyper, transitions: readonly PlainTransition[]) {
    const e = real64.exports
    const words = [
      options.stateSize,
      options.actionSize,
      options.batchSize,
      options.capacity,
      0, // context
      1, // ring
      1, // group
      options.hidden.length,
      ...options.hidden,
    ]
    const shape = real64.allocate(e.ddpg_shape_bytes(options.hidden.length))
    new Int32Array(e.memory.buffer, shape, words.length).set(words)
    this.pointer = real64.allocate(e.ddpg_bytes(shape))
    e.ddpg_create(this.pointer, shape, options.seed, 0)
    e.ddpg_configure(
      this.pointer,
      options.actorLearningRate,
      options.criticLearningRate,
      options.weightDecay,
      options.maxGradientNorm,
      options.discount,
      options.targetRate,
      options.averageRate,
      options.outputPenalty,
      options.cloningWeight,
      options.saturationPenalty ?? 0,
      options.saturationLimit ?? 1.5,
    )
    const io = e.off_policy_pointer(this.pointer, abi.OFF_POLICY_IO)
    for (const t of transitions) {
      const record = [
        ...t.state,
        ...t.action,
        ...t.next,
        ...(t.rule ?? [0, 0]),
        t.reward,
        Number(t.terminated),
        t.rule ? 1 : 0,
      ]
      real64.f64(io, record.length).set(record)
      expect(e.off_policy_insert(this.pointer, 0)).toBe(abi.OK)
    }
  }

  read(which: number): Float64Array {
    const length = real64.exports.ddpg_canonical(this.pointer, which)
    const staging = real64.allocate(8 * length)
    real64.exports.ddpg_convert(this.pointer, which, staging, 0)
    const values = real64.f64(staging, length).slice()
    real64.exports.memory_release(staging)
    return values
  }

  write(which: number, values: Float64Array): void {
    const staging = real64.put(values)
    real64.exports.ddpg_convert(this.pointer, which, staging, 1)
    real64.exports.memory_release(staging)
  }

  learn(): void {
    const indices = real64.exports.off_policy_pointer(this.pointer, abi.OFF_POLICY_INDICES)
    new Int32Array(real64.exports.memory.buffer, indices, INDICES.length).set(INDICES)
    real64.exports.ddpg_learn(this.pointer)
  }

  get(which: number): number {
    return real64.exports.ddpg_get(this.pointer, which)
  }

  skipped(): number {
    const guard = real64.exports.off_policy_pointer(this.pointer, abi.OFF_POLICY_LAST_GOOD)
    return real64.exports.last_good_get(guard, abi.LAST_GOOD_SKIPPED)
  }
}

const transitions = Array.from({ length: 13 }, (_, i) => transition(i))
/** With these an update computes everything and moves nothing. */
const STILL = { actorLearningRate: 0, criticLearningRate: 0, targetRate: 0, averageRate: 0 }

describe('DDPG gradients, by central differences', () => {
  it.each([
    ['critic', abi.DDPG_CRITIC, abi.DDPG_CRITIC_GRADIENT, abi.DDPG_CRITIC_LOSS, {}],
    [
      'actor through the critic',
      abi.DDPG_ACTOR,
      abi.DDPG_ACTOR_GRADIENT,
      abi.DDPG_ACTOR_LOSS,
      { outputPenalty: 0, cloningWeight: 0 },
    ],
    ['actor with output penalty', abi.DDPG_ACTOR, abi.DDPG_ACTOR_GRADIENT, abi.DDPG_ACTOR_LOSS, { cloningWeight: 0 }],
    ['actor with cloning', abi.DDPG_ACTOR, abi.DDPG_ACTOR_GRADIENT, abi.DDPG_ACTOR_LOSS, { outputPenalty: 0 }],
    ['actor with both', abi.DDPG_ACTOR, abi.DDPG_ACTOR_GRADIENT, abi.DDPG_ACTOR_LOSS, {}],
  ] as const)('%s', (_, net, gradient, lossName, options) => {
    const agent = new RawAgent({ ...smallOptions, ...options, ...STILL }, transitions)
    agent.learn()
    const analytic = agent.read(gradient)
    const numeric = centralDifferences(agent.read(net), (parameters) => {
      agent.write(net, parameters)
      agent.learn()
      return agent.get(lossName)
    })
    expect(agent.skipped()).toBe(0)
    expect(relativeGap(analytic, numeric)).toBeLessThan(1e-7)
  })
})

describe('the DDPG update', () => {
  it.each([
    ['as in the papers', { weightDecay: 0, maxGradientNorm: 0, outputPenalty: 0, cloningWeight: 0, averageRate: 0 }],
    ['with everything on', {}],
  ])('agrees with the slow twin over ten updates: %s', (_, change) => {
    const options = { ...smallOptions, ...change }
    const agent = new RawAgent(options, transitions)
    const twin: DdpgTwin = startTwin(options, agent.read(abi.DDPG_ACTOR), agent.read(abi.DDPG_CRITIC))
    const batch = INDICES.map((i) => transitions[i]!)
    for (let i = 0; i < 10; i++) {
      agent.learn()
      const { criticLoss, actorLoss } = updateTwin(twin, batch)
      expect(Math.abs(agent.get(abi.DDPG_CRITIC_LOSS) - criticLoss)).toBeLessThan(1e-9)
      expect(Math.abs(agent.get(abi.DDPG_ACTOR_LOSS) - actorLoss)).toBeLessThan(1e-9)
    }
    // The twin differentiates by central differences, good to about 1e-9 before Adam normalises it.
    for (const [which, expected] of [
      [abi.DDPG_ACTOR, twin.actor],
      [abi.DDPG_CRITIC, twin.critic],
      [abi.DDPG_TARGET_ACTOR, twin.targetActor],
      [abi.DDPG_TARGET_CRITIC, twin.targetCritic],
      [abi.DDPG_AVERAGED_ACTOR, twin.averaged],
    ] as const) {
      expect(relativeGap(agent.read(which), expected)).toBeLessThan(1e-5)
    }
  })
})
