import { type Core, Random } from '@trimtab/core'

/** One building block of an application: mean costs of one request (16 segments as in Sizeless; 5.2.3). */
export interface Segment {
  readonly name: string
  /** CPU work, core-milliseconds. */
  readonly workMs: number
  /** Time spent waiting for I/O, milliseconds. */
  readonly waitMs: number
  readonly memoryMiB: number
  /** Squared coefficient of variation of the CPU work. */
  readonly variability: number
  /** What an update of this application would change (5.2.3). */
  readonly payload: 'file' | 'table' | 'number' | 'image' | 'text' | 'matrix' | 'none'
}

// Proposed means, not measurements: no public source gives the segments' costs.
const segment = (
  name: string,
  workMs: number,
  waitMs: number,
  memoryMiB: number,
  variability: number,
  payload: Segment['payload'],
): Segment => ({ name, workMs, waitMs, memoryMiB, variability, payload })

/** The sixteen kinds of work that applications are rolled from; their costs are proposals, not measurements. */
export const SEGMENTS: readonly Segment[] = [
  segment('float-operations', 400, 0, 40, 0.4, 'number'),
  segment('matrix-multiplication', 60, 0, 60, 0.8, 'matrix'),
  segment('image-compress', 25, 0, 80, 0.3, 'image'),
  segment('image-resize', 20, 0, 80, 0.3, 'image'),
  segment('image-rotate', 22, 0, 80, 0.3, 'image'),
  segment('json', 8, 0, 50, 0.5, 'text'),
  segment('compress', 12, 0, 45, 0.5, 'file'),
  segment('decompress', 5, 0, 45, 0.3, 'file'),
  segment('database-read', 6, 25, 55, 1, 'table'),
  segment('database-write', 6, 18, 55, 1, 'table'),
  segment('file-read', 3, 6, 60, 0.5, 'file'),
  segment('file-write', 10, 8, 70, 0.5, 'file'),
  segment('s3-read', 8, 45, 65, 1, 'file'),
  segment('s3-write', 9, 60, 70, 1, 'file'),
  segment('stream', 14, 95, 75, 1, 'file'),
  segment('sleep', 0.5, 300, 35, 0.3, 'none'),
]

/** A workload to scale: what one request costs and how much of it there is at the peak. */
export interface Application {
  readonly name: string
  readonly segments: readonly Segment[]
  /** CPU work of one request, core-seconds. */
  readonly workSeconds: number
  /** I/O wait of one request, seconds. */
  readonly waitSeconds: number
  /** Squared coefficient of variation of the CPU work. */
  readonly variability: number
  /** Memory of an idle replica. */
  readonly baseMemoryMiB: number
  /** Memory of one request in flight. */
  readonly requestMemoryMiB: number
  /** Requests per second at the load's peak. */
  readonly peakRatePerSecond: number
}

/** Applications with the same key are alike: never put one into training and another into a test set. */
export const multisetKey = ({ segments }: Pick<Application, 'segments'>): string =>
  segments
    .map((s) => s.name)
    .sort()
    .join('+')

/** What one request costs when its segments run one after the other. */
export function requestCosts(
  segments: readonly Segment[],
): Pick<Application, 'workSeconds' | 'waitSeconds' | 'variability' | 'requestMemoryMiB'> {
  const workMs = segments.reduce((sum, s) => sum + s.workMs, 0)
  const variance = segments.reduce((sum, s) => sum + s.workMs ** 2 * s.variability, 0)
  return {
    workSeconds: workMs / 1000,
    waitSeconds: segments.reduce((sum, s) => sum + s.waitMs, 0) / 1000,
    variability: variance / workMs ** 2,
    requestMemoryMiB: 0.4 * Math.max(...segments.map((s) => s.memoryMiB)),
  }
}

/** The segment with a payload `factor` times as large: work grows with it, waiting with its root. */
export const withPayload = (segment: Segment, factor: number): Segment => ({
  ...segment,
  workMs: segment.workMs * factor,
  waitMs: segment.waitMs * Math.sqrt(factor),
})

/** The application with other segments in place of its own: the same name, idle memory and requests, new costs. */
export const withSegments = (application: Application, segments: readonly Segment[]): Application => ({
  ...application,
  segments,
  ...requestCosts(segments),
})

/**
 * Rolls an application: 1–3 ordered segments with payloads of their own (p = .02, .14, .84), idle memory 100–400 MiB,
 * a peak load of 1–8 cores. 16 segments give 968 multisets and, with payloads, as many applications as there are seeds.
 */
export function generateApplication(core: Core, seed: number): Application {
  const random = new Random(core, seed, 101)
  const roll = random.uniform()
  const count = roll < 0.02 ? 1 : roll < 0.16 ? 2 : 3
  const segments = Array.from({ length: count }, () => {
    const base = SEGMENTS[random.integer(SEGMENTS.length)]!
    const payload = core.math.exp((random.uniform() - 0.5) * 1.4) // factor 0.5 … 2
    return withPayload(base, payload)
  })
  const costs = requestCosts(segments)
  const peakCores = core.math.pow(8, random.uniform())
  const application = {
    name: `app-${seed}`,
    segments,
    ...costs,
    baseMemoryMiB: 100 + 300 * random.uniform(),
    peakRatePerSecond: peakCores / costs.workSeconds,
  }
  random.dispose()
  return application
}
