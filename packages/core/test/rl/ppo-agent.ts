// A small agent with a rollout, for the tests of PpoKernel.
import type { Core } from '../../src/index.js'
import { PpoKernel, type PpoKernelOptions } from '../../src/internal.js'
import { wave } from '../builds.js'

export const smallPpo: PpoKernelOptions = {
  stateSize: 3,
  actionSize: 4,
  policy: 'categorical',
  hidden: [10, 7],
  activation: 'tanh',
  capacity: 40,
  miniBatchSize: 6,
  seed: 5,
  policyLearningRate: 3e-3,
  valueLearningRate: 3e-3,
  discount: 0.9,
  lambda: 0.8,
  clip: 0.2,
  valueWeight: 0.5,
  entropyWeight: 0.01,
  maxGradientNorm: 0.5,
}

/** The kernel's own draw and one small world: a state, the action drawn there, a reward that knows both. */
export function act(kernel: PpoKernel, i: number, partition = 0, terminated: boolean = i % 7 === 6): void {
  const { stateSize, globalSize, policy, actionSize, heads } = kernel.options
  const state = Float32Array.from(wave(stateSize, i))
  const action = new Float32Array(policy === 'gaussian' ? actionSize : heads.length)
  kernel.sample(state, action)
  const reward = wave(1, i + 3)[0]! - (action[0]! - 1) ** 2
  const next = Float32Array.from(wave(stateSize, i + 1))
  const [global, nextGlobal] = [i + 5, i + 6].map((phase) => Float32Array.from(wave(globalSize, phase)))
  kernel.insert(state, action, reward, next, terminated, partition, global, nextGlobal)
}

export function smallAgent(core: Core, options: Partial<PpoKernelOptions> = {}, steps = 20): PpoKernel {
  const kernel = new PpoKernel(core, { ...smallPpo, ...options })
  const { partitions } = kernel.options
  for (let i = 0; i < steps; i++) act(kernel, i, i % partitions)
  return kernel
}
