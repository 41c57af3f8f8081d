// One agent for many pairs: rings of replay, contexts behind the state, and an encoder that learns from the critic's loss.
import { beforeAll, describe, expect, it } from 'vitest'
import * as abi from '../../src/abi.js'
import { type Core, createCore } from '../../src/index.js'
import { ContextEncoder, DdpgKernel, type DdpgKernelOptions } from '../../src/internal.js'
import { centralDifferences, type Real64, relativeGap, startReal64, wave } from '../builds.js'
import { remember, smallAgent, smallOptions, transition } from './ddpg-agent.js'

let core: Core
let real64: Real64
beforeAll(async () => {
  core = await createCore()
  real64 = await startReal64()
})

const shared = { contextSize: 2, partitions: 3, maxGroups: 2 }
const STATE = Float32Array.of(0.1, -0.2, 0.3)

function sharedAgent(options: Partial<DdpgKernelOptions> = {}): DdpgKernel {
  const kernel = new DdpgKernel(core, { ...smallOptions, ...shared, ...options })
  for (let i = 0; i < 12; i++) store(kernel, i, i % 2 === 0 ? 0 : 2)
  return kernel
}

function store(kernel: DdpgKernel, i: number, partition: number): void {
  const t = transition(i)
  const [state, action, next] = [t.state, t.action, t.next].map((values) => Float32Array.from(values))
  kernel.insert(state!, action!, t.reward, next!, t.terminated, t.rule && Float32Array.from(t.rule), partition)
}

const encoderOptions = {
  kind: 'set',
  inputSize: 3,
  hiddenSize: 5,
  dense: [4, 2],
  maxContexts: 2,
  maxSequences: 2,
  maxSteps: 6,
  learningRate: 1e-2,
  seed: 3,
} as const

const context = (phase: number) => ({ steps: Float32Array.from(wave(12, phase)), lengths: Int32Array.of(4) })

const act = (kernel: DdpgKernel): Float32Array => {
  const out = new Float32Array(2)
  kernel.act(STATE, out)
  return out
}

describe('contexts', () => {
  it('change what is done; zeros are what a new agent has', () => {
    const kernel = sharedAgent()
    const before = act(kernel)
    kernel.setContext(Float32Array.of(0.9, -0.9))
    expect(act(kernel)).not.toEqual(before)
    kernel.setContext(new Float32Array(2))
    expect(act(kernel)).toEqual(before)
  })

  it('act as further entries of the state do, to the bit', () => {
    const z = [0.25, -0.5]
    const kernel = smallAgent(core, { contextSize: 2 })
    const wide = new DdpgKernel(core, { ...smallOptions, stateSize: 5 })
    for (let i = 0; i < 13; i++) {
      const t = transition(i)
      remember(wide, { ...t, state: [...t.state, ...z], next: [...t.next, ...z] })
    }
    kernel.setContext(Float32Array.from(z))
    kernel.update(30)
    wide.update(30)
    expect(kernel.parameters('actor')).toEqual(wide.parameters('actor'))
    expect(kernel.parameters('targetCritic')).toEqual(wide.parameters('targetCritic'))
  })

  it('of equal pairs: named pairs draw from their rings alone', () => {
    const kernel = sharedAgent()
    for (let i = 0; i < 20; i++) store(kernel, 100, 1) // one transition, over and over
    kernel.updatePairs(Int32Array.of(1), Float32Array.of(0, 0))
    expect(new Set(kernel.lastBatch().values).size).toBe(1)
    kernel.updatePairs(Int32Array.of(1, 2), Float32Array.of(0, 0, 0, 0))
    const { values } = kernel.lastBatch()
    expect(new Set(values.subarray(0, 3)).size).toBe(1)
    expect(values.subarray(3)).not.toContain(values[0])
  })

  it.each([
    ['a ring that is empty', () => sharedAgent().updatePairs(Int32Array.of(0, 1), new Float32Array(4)), 'replay_empty'],
    [
      'a ring that is not there',
      () => sharedAgent().updatePairs(Int32Array.of(3), new Float32Array(2)),
      'partition_invalid',
    ],
    ['too many pairs', () => sharedAgent().updatePairs(Int32Array.of(0, 0, 0), new Float32Array(6)), 'size_mismatch'],
    [
      'embeddings of another width',
      () => sharedAgent().updatePairs(Int32Array.of(0), new Float32Array(3)),
      'size_mismatch',
    ],
    [
      'a NaN in an embedding',
      () => sharedAgent().updatePairs(Int32Array.of(0), Float32Array.of(Number.NaN, 0)),
      'not_finite',
    ],
    ['an insert into no ring', () => store(sharedAgent(), 0, 3), 'partition_invalid'],
    ['a context of another width', () => sharedAgent().setContext(new Float32Array(1)), 'size_mismatch'],
    [
      'an encoder of another width',
      () => {
        using encoder = new ContextEncoder(core, { ...encoderOptions, dense: [3] })
        sharedAgent().updatePairs(Int32Array.of(0), [context(1)], encoder)
      },
      'size_mismatch',
    ],
  ])('refuse %s', (_, attempt, code) => {
    expect(attempt).toThrow(expect.objectContaining({ code }))
  })
})

describe('an encoder in the update', () => {
  it('gives exactly what embeddings, slopes and a step of its own give one after another', () => {
    const [whole, parts] = [sharedAgent(), sharedAgent()]
    const [inside, outside] = [new ContextEncoder(core, encoderOptions), new ContextEncoder(core, encoderOptions)]
    const contexts = [context(1), context(2)]
    for (let i = 0; i < 10; i++) {
      whole.updatePairs(Int32Array.of(2, 0), contexts, inside)
      const z = new Float32Array(4)
      outside.encode(contexts, z)
      parts.updatePairs(Int32Array.of(2, 0), z)
      outside.learn(contexts, parts.contextSlopes(2))
    }
    expect(whole.parameters('critic')).toEqual(parts.parameters('critic'))
    expect(inside.parameters()).toEqual(outside.parameters())
    expect(inside.report()).toMatchObject({ updates: 10, skipped: 0 })
  })

  it('is refused where it lies in the memory of another core', async () => {
    const encoder = new ContextEncoder(await createCore(), encoderOptions)
    expect(() => sharedAgent().updatePairs(Int32Array.of(0), [context(1)], encoder)).toThrow(
      expect.objectContaining({ code: 'core_mismatch' }),
    )
  })

  it('sends no gradient for the null context', () => {
    const encoder = new ContextEncoder(core, encoderOptions)
    const before = encoder.parameters()
    const none = { steps: new Float32Array(0), lengths: new Int32Array(0) }
    sharedAgent().updatePairs(Int32Array.of(0, 2), [none, none], encoder)
    expect(encoder.parameters()).toEqual(before)
  })

  it('moves nothing at all when the loss is not finite; the third time in a row the last good weights come back', () => {
    const kernel = new DdpgKernel(core, { ...smallOptions, ...shared })
    const t = transition(0)
    kernel.insert(STATE, Float32Array.from(t.action), 3e38, STATE, false)
    const encoder = new ContextEncoder(core, encoderOptions)
    const before = [kernel.parameters('actor'), kernel.parameters('critic'), encoder.parameters()]
    for (let i = 0; i < 3; i++) kernel.updatePairs(Int32Array.of(0), [context(1)], encoder)
    expect([kernel.parameters('actor'), kernel.parameters('critic'), encoder.parameters()]).toEqual(before)
    expect(kernel.report()).toMatchObject({ updates: 0, skipped: 3, restored: 1 })
    expect(encoder.report()).toMatchObject({ updates: 0, skipped: 3, restored: 1 })
  })
})

describe('an exact resume', () => {
  it('holds every ring and what was learned', () => {
    const encoder = new ContextEncoder(core, encoderOptions)
    const kernel = sharedAgent()
    const other = sharedAgent({ seed: 99 })
    const learn = (agent: DdpgKernel, times: number): void => {
      for (let i = 0; i < times; i++) agent.updatePairs(Int32Array.of(0, 2), Float32Array.of(0.1, 0.2, 0.3, 0.4))
    }
    learn(kernel, 5)
    other.load(kernel.save())
    learn(kernel, 120) // past a renewal of the good copy
    learn(other, 120)
    expect(other.save()).toEqual(kernel.save())
    expect([0, 1, 2].map((i) => other.sizeOf(i))).toEqual([6, 0, 6])
    encoder.dispose()
  })

  it('learned parts carry over to an agent with other rings', () => {
    const kernel = sharedAgent()
    kernel.updatePairs(Int32Array.of(0, 2), new Float32Array(4))
    const single = new DdpgKernel(core, { ...smallOptions, contextSize: 2, seed: 1 })
    single.setLearned(kernel.learned())
    expect(single.learned()).toEqual(kernel.learned())
    expect(act(single)).toEqual(act(kernel))
  })
})

describe('gradients, by central differences in f64', () => {
  const BATCH = 6
  const GROUPS = 2

  /** An agent and an encoder that compute everything and move nothing. */
  function still() {
    const e = real64.exports
    const sizes = [3, 2, BATCH, 8, 2, 2, GROUPS, 2, 10, 7]
    const shape = real64.allocate(e.ddpg_shape_bytes(2))
    new Int32Array(e.memory.buffer, shape, sizes.length).set(sizes)
    const agent = real64.allocate(e.ddpg_bytes(shape))
    e.ddpg_create(agent, shape, 5, 0)
    e.ddpg_configure(agent, 0, 0, 0, 0, 0.9, 0, 0, 0.1, 0.5, 0.4, 0.02)
    for (let i = 0; i < 8; i++) {
      const t = transition(i)
      const record = [
        ...t.state,
        ...t.action,
        ...t.next,
        ...(t.rule ?? [0, 0]),
        t.reward,
        Number(t.terminated),
        t.rule ? 1 : 0,
      ]
      real64.f64(e.off_policy_pointer(agent, abi.OFF_POLICY_IO), record.length).set(record)
      e.off_policy_insert(agent, i % 2)
    }
    const words = [abi.ENCODER_SET, 3, 5, 1, 0, GROUPS, 2, 6, 2, 2, 4, 2]
    const encoderShape = real64.allocate(e.encoder_shape_bytes(3))
    new Int32Array(e.memory.buffer, encoderShape, words.length).set(words)
    const encoder = real64.allocate(e.encoder_bytes(encoderShape))
    e.encoder_create(encoder, encoderShape, 7, 0)
    e.encoder_configure(encoder, 0, 0, 0)
    real64.f64(e.encoder_pointer(encoder, abi.ENCODER_STEPS), 24).set(wave(24, 3))
    new Int32Array(e.memory.buffer, e.encoder_pointer(encoder, abi.ENCODER_LENGTHS), 3).set([3, 1, 4])
    new Int32Array(e.memory.buffer, e.encoder_pointer(encoder, abi.ENCODER_COUNTS), 2).set([2, 1])
    new Int32Array(e.memory.buffer, e.off_policy_pointer(agent, abi.OFF_POLICY_CHOSEN), 2).set([1, 0])
    const random = new Uint8Array(e.memory.buffer, e.off_policy_pointer(agent, abi.OFF_POLICY_RANDOM), 32)
    const start = random.slice()
    const convert = (
      family: 'ddpg' | 'encoder',
      pointer: number,
      which: number,
      length: number,
      values?: Float64Array,
    ) => {
      const staging = values ? real64.put(values) : real64.allocate(8 * length)
      e[`${family}_convert`](pointer, which, staging, values ? 1 : 0)
      const out = real64.f64(staging, length).slice()
      e.memory_release(staging)
      return out
    }
    /** One update on always the same batch. */
    const update = (): void => {
      random.set(start)
      expect(e.ddpg_update_pairs(agent, GROUPS, encoder)).toBe(abi.OK)
    }
    return { e, agent, encoder, convert, update }
  }

  it('of the encoder: the critic’s loss with its goals held', () => {
    const { e, agent, encoder, convert, update } = still()
    const length = e.encoder_canonical(encoder)
    update()
    const goals = real64.f64(e.off_policy_pointer(agent, abi.OFF_POLICY_GOALS), BATCH).slice()
    const analytic = convert('encoder', encoder, abi.ENCODER_GRADIENT, length)
    const parameters = convert('encoder', encoder, abi.ENCODER_PARAMETERS, length)
    const numeric = centralDifferences(parameters, (moved) => {
      convert('encoder', encoder, abi.ENCODER_PARAMETERS, length, moved)
      update()
      const values = real64.f64(e.off_policy_pointer(agent, abi.OFF_POLICY_VALUES), BATCH)
      return values.reduce((sum, value, i) => sum + (value - goals[i]!) ** 2, 0) / BATCH
    })
    expect(relativeGap(analytic, numeric)).toBeLessThan(1e-6)
  })

  it('of the actor: value, both penalties and cloning, the context seen', () => {
    const { e, agent, convert, update } = still()
    const length = e.ddpg_canonical(agent, abi.DDPG_ACTOR)
    update()
    const analytic = convert('ddpg', agent, abi.DDPG_ACTOR_GRADIENT, length)
    const parameters = convert('ddpg', agent, abi.DDPG_ACTOR, length)
    const numeric = centralDifferences(parameters, (moved) => {
      convert('ddpg', agent, abi.DDPG_ACTOR, length, moved)
      update()
      return e.ddpg_get(agent, abi.DDPG_ACTOR_LOSS)
    })
    expect(relativeGap(analytic, numeric)).toBeLessThan(1e-6)
  })
})
