import type { Core } from '@trimtab/core'
import {
  type Allocation,
  type AllocationBounds,
  type AllocationTarget,
  type Allocator,
  GuardedAllocator,
  Heuristic,
  HpaHeadroomRule,
  MarginAllocator,
  ResizeRule,
  type Telemetry,
} from '@trimtab/tasks/autoscaling'

/** Who can control a live cluster, beside whom. */
export const LIVE_ARMS = ['hpa', 'resize', 'trimtab'] as const
/** One of them. */
export type LiveArm = (typeof LIVE_ARMS)[number]

/** What an arm may know of the cluster. */
export interface ArmCluster {
  readonly bounds: AllocationBounds
  readonly periodSeconds: number
}

const HEADROOM = 1.5 // of memory: processes are small and grow by their own garbage
const HPA = { podCores: 0.25, targetPercent: 65, headroom: HEADROOM }
// Latency is flat up to .65 of the quota and falls off a cliff beyond (measured on such pods); shrinks when it is worth it.
const RESIZE = { targetPercent: 60, windowSteps: 4, leastCores: 0.125, hysteresis01: 0.15, headroom: HEADROOM }
const START_SECONDS = 15 // a period, as rules are told the time

/** An allocator by name: HPA, the resize rule, or Trimtab's default, the margin controller kept by the resize rule in shadow. */
export function createArm(core: Core, arm: LiveArm, { bounds, periodSeconds }: ArmCluster): Allocator {
  const cluster = { bounds, resize: 'in-place', stepSeconds: periodSeconds } as const
  switch (arm) {
    case 'hpa':
      return new HpaHeadroomRule(cluster, HPA)
    case 'resize':
      return new ResizeRule(cluster, RESIZE)
    case 'trimtab': {
      const margin = new MarginAllocator(core, { bounds, stepSeconds: periodSeconds })
      const rule = new ResizeRule(cluster, RESIZE)
      return new GuardedAllocator(core, rule, margin, { bounds, startSeconds: START_SECONDS })
    }
    default:
      return arm satisfies never
  }
}

/** An allocator that stands where an agent can; it lives on from one episode to the next. */
export class AllocatorController extends Heuristic {
  readonly name: string
  protected readonly reads: readonly (keyof Telemetry)[]
  readonly #allocator: Allocator

  constructor(target: AllocationTarget, allocator: Allocator) {
    super(target)
    this.name = allocator.name
    this.reads = allocator.reads
    this.#allocator = allocator
  }

  protected allocate(telemetry: Telemetry, out: Allocation): void {
    this.#allocator.allocate(telemetry, out)
  }
}
