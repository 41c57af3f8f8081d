// A small BCQ agent with transitions in its ring, for the tests of BcqKernel.
import type { Core } from '../../src/index.js'
import { BcqKernel, type BcqKernelOptions } from '../../src/internal.js'
import { transition } from './ddpg-agent.js'

export const smallBcq: BcqKernelOptions = {
  stateSize: 3,
  actionSize: 2,
  hidden: [10, 7],
  latentSize: 4,
  batchSize: 6,
  capacity: 20,
  seed: 5,
  learningRate: 1e-3,
  discount: 0.9,
  targetRate: 0.01,
  reach: 0.05,
  pessimism: 0.75,
  divergenceWeight: 0.5,
  latentBound: 0.5,
  targetCandidates: 5,
  actingCandidates: 9,
}

export function storeIn(kernel: BcqKernel, i: number, reward?: number): void {
  const t = transition(i)
  const [state, action, next] = [t.state, t.action, t.next].map((values) => Float32Array.from(values))
  kernel.insert(state!, action!, reward ?? t.reward, next!, t.terminated)
}

export function smallBcqAgent(core: Core, options: Partial<BcqKernelOptions> = {}, stored = 13): BcqKernel {
  const kernel = new BcqKernel(core, { ...smallBcq, ...options })
  for (let i = 0; i < stored; i++) storeIn(kernel, i)
  return kernel
}
