// A small agent with transitions in its ring, for the tests of DdpgKernel.
import type { Core } from '../../src/index.js'
import { DdpgKernel, type DdpgKernelOptions } from '../../src/internal.js'
import { wave } from '../builds.js'

export const smallOptions: DdpgKernelOptions = {
  stateSize: 3,
  actionSize: 2,
  hidden: [10, 7],
  batchSize: 6,
  capacity: 20,
  seed: 5,
  actorLearningRate: 1e-3,
  criticLearningRate: 3e-3,
  discount: 0.9,
  targetRate: 0.01,
  averageRate: 0.05,
  weightDecay: 1e-3,
  maxGradientNorm: 0.3,
  outputPenalty: 0.1,
  cloningWeight: 0.5,
}

export interface PlainTransition {
  readonly state: number[]
  readonly action: number[]
  readonly reward: number
  readonly next: number[]
  readonly terminated: boolean
  readonly rule: number[] | undefined
}

/** The i-th transition: every third terminated, every second with a rule action. */
export function transition(i: number, { stateSize, actionSize } = smallOptions): PlainTransition {
  const numbers = (count: number, phase: number): number[] => [...Float32Array.from(wave(count, 10 * i + phase))]
  return {
    state: numbers(stateSize, 1),
    action: numbers(actionSize, 2),
    reward: numbers(1, 3)[0]!,
    next: numbers(stateSize, 4),
    terminated: i % 3 === 0,
    rule: i % 2 === 0 ? numbers(actionSize, 5) : undefined,
  }
}

export function remember(kernel: DdpgKernel, t: PlainTransition): void {
  const rule = t.rule && Float32Array.from(t.rule)
  kernel.insert(
    Float32Array.from(t.state),
    Float32Array.from(t.action),
    t.reward,
    Float32Array.from(t.next),
    t.terminated,
    rule,
  )
}

export function smallAgent(core: Core, options: Partial<DdpgKernelOptions> = {}, stored = 13): DdpgKernel {
  const kernel = new DdpgKernel(core, { ...smallOptions, ...options })
  for (let i = 0; i < stored; i++) remember(kernel, transition(i, kernel.options))
  return kernel
}
