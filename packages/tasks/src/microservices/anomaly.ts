import type { CoreMath } from '@trimtab/core'
import type { Resource } from './resources.js'

/** The seven kinds of Table 3.4. */
export const ANOMALY_KINDS = [
  'workload',
  'network-delay',
  'cpu',
  'llc',
  'memory-bandwidth',
  'disk-io',
  'network-bandwidth',
] as const
/** What can go wrong (3.3.1). */
export type AnomalyKind = (typeof ANOMALY_KINDS)[number]

/** How the strength of an anomaly runs over its duration; see `levelAt`. */
export const ANOMALY_PATTERNS = ['constant', 'step', 'ramp', 'sine', 'random'] as const
/** How an anomaly's intensity changes while it lasts. */
export type AnomalyPattern = (typeof ANOMALY_PATTERNS)[number]

/**
 * Where an anomaly strikes: a replica, a service with all its replicas, or (workload only) the front door of a type of
 * request. A surge at a service is calls that it answers alone; one at a front door is whole requests.
 */
export type AnomalyTarget = { readonly service: string; readonly replica?: number } | { readonly request: string }

/** One thing that goes wrong, where, when and how much. */
export interface Anomaly {
  readonly kind: AnomalyKind
  readonly target: AnomalyTarget
  readonly startSeconds: number
  readonly durationSeconds: number
  /** Default `constant`. */
  readonly pattern?: AnomalyPattern
  /** 0…1: of the strongest that the kind can do; see `STRONGEST`. */
  readonly intensity: number
}

/** What intensity 1 means. */
export const STRONGEST: Readonly<
  Record<'interference' | 'delayMs' | 'delayDeviation' | 'surge' | 'frontDoor', number>
> = {
  /** Part of a resource that a stressor takes: not all, or nothing would ever end. */
  interference: 0.97,
  /** Delay of each packet that leaves the replica: normal, this mean. */
  delayMs: 25,
  /** Deviation of the delay, as a part of its mean. */
  delayDeviation: 0.2,
  /** Calls a second beyond the usual ones to a service or replica, as a part of what it can serve at most. */
  surge: 1.25,
  /** Requests a second beyond the usual ones at a front door, as a multiple of those. */
  frontDoor: 4,
}

/** The resource that a kind takes away; none for workload and network delay. */
export const RESOURCE_OF: Readonly<Partial<Record<AnomalyKind, Resource>>> = {
  cpu: 'cpu',
  llc: 'llc',
  'memory-bandwidth': 'memoryBandwidth',
  'disk-io': 'diskIo',
  'network-bandwidth': 'network',
}

const STEPS = 4
const SINE_SECONDS = 5
const TAU = 6.283185307179586

/**
 * How strong an anomaly is at a moment, 0 … intensity:
 * - `constant`: the intensity from start to end;
 * - `step`: a quarter of it, then half, three quarters, all, a quarter of the time each;
 * - `ramp`: from nothing to all of it, evenly;
 * - `sine`: between nothing and all of it, a wave every 5 s that starts at nothing;
 * - `random`: another part of it every second, the same each time the campaign runs.
 */
export function levelAt(math: CoreMath, anomaly: Anomaly, second: number): number {
  const { startSeconds, durationSeconds, intensity, pattern = 'constant' } = anomaly
  const since = second - startSeconds
  if (since < 0 || since >= durationSeconds) return 0
  switch (pattern) {
    case 'constant':
      return intensity
    case 'step':
      return (intensity * Math.ceil((STEPS * (since + 1e-12)) / durationSeconds)) / STEPS
    case 'ramp':
      return (intensity * since) / durationSeconds
    case 'sine':
      return (intensity * (1 - math.cos((TAU * since) / SINE_SECONDS))) / 2
    case 'random':
      return intensity * scattered(Math.floor(startSeconds * 1000), Math.floor(since))
    default:
      return pattern satisfies never
  }
}

/** A number in [0, 1) that two others decide (Murmur3's last step). */
function scattered(a: number, b: number): number {
  let hash = Math.imul(a ^ Math.imul(b + 1, 0x9e3779b1), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
