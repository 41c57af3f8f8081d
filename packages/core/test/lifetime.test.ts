// Memory, growth, traps and disposal: what a service that runs for years relies on.
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Adam, type Core, createCore, Mlp, Random, RffSvm, RunningMoments } from '../src/index.js'
import { Arena, ContextEncoder, DdpgKernel } from '../src/internal.js'
import { smallAgent, smallOptions } from './rl/ddpg-agent.js'

let core: Core
beforeEach(async () => {
  core = await createCore()
})

const memoryOf = (of: Core): number[] => [of.usedBytes, of.memory.buffer.byteLength]

describe('memory', () => {
  it('stays flat over a million decisions', () => {
    const net = new Mlp(core, { sizes: [8, 40, 40, 5], activations: ['relu', 'relu', 'tanh'] })
    const kernel = smallAgent(core)
    const [state, out] = [new Float32Array(8), new Float32Array(5)]
    const [smallState, smallOut] = [new Float32Array(3), new Float32Array(2)]
    const before = memoryOf(core)
    for (let i = 0; i < 500_000; i++) {
      net.forward(state, out)
      kernel.act(smallState, smallOut, 'averaged')
    }
    expect(memoryOf(core)).toEqual(before)
  })

  it('stays flat over a hundred thousand updates', () => {
    const kernel = smallAgent(core)
    const before = memoryOf(core)
    for (let i = 0; i < 100; i++) kernel.update(1000)
    expect(memoryOf(core)).toEqual(before)
    expect(kernel.report()).toMatchObject({ updates: 100_000, skipped: 0 })
  })

  it('stays flat while agents are made, saved, loaded and disposed', () => {
    const cycle = (): void => {
      const kernel = smallAgent(core)
      const other = smallAgent(core)
      kernel.update(3)
      other.load(kernel.save())
      kernel.dispose()
      other.dispose()
    }
    cycle()
    const before = memoryOf(core)
    for (let i = 0; i < 200; i++) cycle()
    expect(memoryOf(core)).toEqual(before)
  })

  it('has stale views nowhere after it grew', () => {
    const kernel = smallAgent(core)
    const reference = smallAgent(core)
    const net = new Mlp(core, { sizes: [3, 4, 2], activations: ['tanh', 'linear'] })
    const random = new Random(core, 1)
    const moments = new RunningMoments(core, 3)
    const state = Float32Array.of(0.5, -0.5, 0.25)
    const decide = (): number[] => {
      const [a, b, c] = [new Float32Array(2), new Float32Array(2), new Float32Array(3)]
      kernel.act(state, a)
      net.forward(state, b)
      moments.normalise(state, c)
      return [...a, ...b, ...c, kernel.q(state, a)]
    }
    const before = decide()
    const saved = random.save()
    const bytes = core.memory.buffer.byteLength
    const large = new Arena(core, 4 * bytes, 'test')
    expect(core.memory.buffer.byteLength).toBeGreaterThan(4 * bytes)
    expect(decide()).toEqual(before)
    expect(random.save()).toEqual(saved)
    kernel.update(5)
    reference.update(5)
    expect(kernel.save()).toEqual(reference.save())
    large.dispose()
  })

  it('refuses what does not fit, and works on', () => {
    expect(() => core.allocate(2 ** 32)).toThrow(expect.objectContaining({ code: 'core_out_of_memory' }))
    expect(() => core.allocate(2 ** 31)).toThrow(expect.objectContaining({ code: 'core_out_of_memory' }))
    smallAgent(core).update()
  })

  it('refuses to release what is no block', () => {
    const pointer = core.allocate(64)
    expect(() => core.release(pointer + 16)).toThrow(expect.objectContaining({ code: 'core_bad_pointer' }))
    core.release(pointer)
    expect(() => core.release(pointer)).toThrow(expect.objectContaining({ code: 'core_bad_pointer' }))
  })
})

describe('disposal', () => {
  const makers: readonly (readonly [
    string,
    (on: Core) => { dispose(): void; [Symbol.dispose](): void },
    (object: never) => unknown,
  ])[] = [
    ['Mlp', (on) => new Mlp(on, { sizes: [2, 1], activations: ['relu'] }), (net: Mlp) => net.parameters()],
    ['Adam', (on) => new Adam(on, { parameters: 3, learningRate: 0.1 }), (adam: Adam) => adam.firstMoments()],
    ['Random', (on) => new Random(on, 1), (random: Random) => random.uniform()],
    ['RffSvm', (on) => new RffSvm(on, { inputs: 2 }), (svm: RffSvm) => svm.decision([0, 0])],
    ['RunningMoments', (on) => new RunningMoments(on, 2), (moments: RunningMoments) => moments.mean()],
    [
      'ContextEncoder',
      (on) =>
        new ContextEncoder(on, {
          ...{ kind: 'gru', inputSize: 2, hiddenSize: 3, dense: [2], maxSequences: 2, maxSteps: 3 },
          ...{ learningRate: 0.1, seed: 1 },
        }),
      (encoder: ContextEncoder) => encoder.parameters(),
    ],
    ['DdpgKernel', (on) => new DdpgKernel(on, smallOptions), (kernel: DdpgKernel) => kernel.report()],
  ]

  it.each(makers)('gives everything back, may happen twice, and ends use: %s', (name, make, use) => {
    const before = core.usedBytes
    const object = make(core)
    expect(core.usedBytes).toBeGreaterThan(before)
    object.dispose()
    object[Symbol.dispose]()
    expect(core.usedBytes).toBe(before)
    expect(() => use(object as never)).toThrow(
      expect.objectContaining({ code: 'object_disposed', message: expect.stringContaining(name) }),
    )
  })
})

describe('a constructor that fails', () => {
  const fail = (): never => {
    throw new Error('in the middle')
  }

  it.each([
    ['DdpgKernel', 'ddpg_create', () => smallAgent(core)],
    ['Mlp', 'mlp_initialise', () => new Mlp(core, { sizes: [2, 1], activations: ['relu'] })],
    ['RffSvm', 'memory_allocate', () => new RffSvm(core, { inputs: 2 })],
  ] as const)('leaves nothing of its memory behind: %s', (_, step, make) => {
    const before = core.usedBytes
    vi.spyOn(core.exports, step).mockImplementation(fail)
    expect(make).toThrow('in the middle')
    vi.restoreAllMocks()
    expect(core.usedBytes).toBe(before)
  })

  it('refuses a seed before it allocates', () => {
    const before = core.usedBytes
    expect(() => new Random(core, 0.5)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
    expect(core.usedBytes).toBe(before)
  })
})

describe('a trap', () => {
  /** What a bug would look like: a kernel that is handed an address outside the memory. */
  const trap = (on: Core): void => on.exports.mlp_forward(0x7fff0000, 0, 0, 0, 1, 0)

  it('becomes an error that says where and what to do', () => {
    expect(() => trap(core)).toThrow(
      expect.objectContaining({
        name: 'CoreError',
        code: 'core_trapped',
        message: expect.stringMatching(/mlp_forward.*create a new core/),
      }),
    )
  })

  it('poisons the instance: every further use fails with the same error', () => {
    const kernel = smallAgent(core)
    expect(() => trap(core)).toThrow()
    const trapped = expect.objectContaining({ code: 'core_trapped' })
    expect(() => kernel.act(new Float32Array(3), new Float32Array(2))).toThrow(trapped)
    expect(() => kernel.update()).toThrow(trapped)
    expect(() => kernel.save()).toThrow(trapped)
    expect(() => new Random(core, 1)).toThrow(trapped)
    expect(() => core.allocate(16)).toThrow(trapped)
  })

  it('leaves disposal possible and other instances alone', async () => {
    const kernel = smallAgent(core)
    const other = smallAgent(await createCore())
    expect(() => trap(core)).toThrow()
    kernel.dispose()
    other.update()
    expect(other.report().updates).toBe(1)
  })

  it('lets a new core continue from the last save', async () => {
    const kernel = smallAgent(core)
    kernel.update(10)
    const saved = kernel.save()
    expect(() => trap(core)).toThrow()
    const rescued = smallAgent(await createCore(), { seed: 77 })
    rescued.load(saved)
    expect(rescued.save()).toEqual(saved)
  })

  it('in a constructor becomes the same error and poisons too', () => {
    vi.spyOn(core.exports, 'ddpg_create').mockImplementation(() => trap(core))
    const trapped = expect.objectContaining({ code: 'core_trapped' })
    expect(() => smallAgent(core)).toThrow(trapped)
    expect(() => new Random(core, 1)).toThrow(trapped)
    expect(() => core.memory).toThrow(trapped)
  })

  it('inside a decision poisons too', () => {
    const kernel = smallAgent(core)
    new Uint8Array(core.memory.buffer).fill(0x7f) // a stray write: every address in the agent's head now points outside
    expect(() => kernel.act(new Float32Array(3), new Float32Array(2))).toThrow(
      expect.objectContaining({ code: 'core_trapped' }),
    )
  })
})
