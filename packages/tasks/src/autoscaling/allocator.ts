import type { Allocation, Telemetry } from './telemetry.js'

/**
 * Decides what a replica set gets from what was measured: rules and learners alike, in cores, MiB and replicas. Time is continuous:
 * it lives for days and is asked once a step.
 */
export interface Allocator {
  readonly name: string
  /** The telemetry that it decides from; where one of these was not measured it is not asked. */
  readonly reads: readonly (keyof Telemetry)[]
  /**
   * Takes in the step just ended and fills `out`, which holds the allocation in force, with the one wanted next. What it asks for
   * is forced into the bounds afterwards.
   */
  allocate(telemetry: Readonly<Telemetry>, out: Allocation): void
  /** Forgets everything: another application, or the same long after. */
  reset(): void
}

/** An allocator that carries what it learned from one process into the next. */
export interface LearningAllocator extends Allocator {
  /** All that it learned, as bytes. */
  save(): Uint8Array
  /** Goes on from what `save` gave. @throws {FormatError} */
  load(state: Uint8Array): void
}
