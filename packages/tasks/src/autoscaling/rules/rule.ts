import type { Allocator, LearningAllocator } from '../allocator.js'
import type { ClusterOptions } from '../simulator.js'
import type { Telemetry } from '../telemetry.js'

/**
 * An allocator that decides by what an operator set, and can be told of a past that it did not live through. Where it saves what it remembers, a
 * guard carries that from one process into the next.
 */
export interface Rule extends Allocator, Partial<Pick<LearningAllocator, 'save' | 'load'>> {
  /** Takes in a step of the past, in order of time, and decides nothing; `allocate` takes its own steps in. */
  observe(telemetry: Readonly<Telemetry>): void
  /** Frees what it holds in the core; it must not be used afterwards. May be called twice. */
  dispose?(): void
}

/** What a rule may know of the cluster: bounds, how pods change their size, seconds between two decisions. */
export type RuleCluster = Pick<ClusterOptions, 'bounds' | 'resize' | 'stepSeconds'>
