import { type Core, Problems, Random } from '@trimtab/core'
import { multisetKey, SEGMENTS, type Segment, withPayload } from '../autoscaling/application.js'
import { AWS_USD_PER_GB_SECOND, LAMBDA_SIZES_MB, MB_PER_VCPU } from './lambda.js'
import { type RuntimeTable, RuntimeTableBuilder } from './runtime-table.js'

/** A generated table of serverless functions. */
export interface ServerlessOptions {
  /** Functions to roll. Default 1000: about 640 different multisets of segments. */
  readonly functions?: number
  readonly seed?: number
  /** Whether each function comes with seven counters beside its durations. Default true. */
  readonly counters?: boolean
}

/** How a segment meets a smaller function: proposals, not measurements, as the segments' costs are. */
interface Traits {
  /** vCPUs it can use at once. */
  readonly parallelism: number
  /** Waiting for I/O goes with (1769 MB / memory)^exponent below one vCPU: bandwidth comes with memory. */
  readonly bandwidthExponent: number
  /** Of its CPU time, what the kernel spends. */
  readonly systemShare: number
  readonly writtenKb: number
  readonly receivedKb: number
}

const traits = (
  parallelism: number,
  bandwidthExponent: number,
  systemShare: number,
  writtenKb = 0,
  receivedKb = 0,
): Traits => ({ parallelism, bandwidthExponent, systemShare, writtenKb, receivedKb })

const TRAITS: Readonly<Record<string, Traits>> = {
  'float-operations': traits(1, 0, 0.02),
  'matrix-multiplication': traits(1.6, 0, 0.03),
  'image-compress': traits(1.2, 0, 0.05),
  'image-resize': traits(1.2, 0, 0.05),
  'image-rotate': traits(1.2, 0, 0.05),
  json: traits(1, 0, 0.04),
  compress: traits(1.4, 0, 0.06),
  decompress: traits(1.1, 0, 0.06),
  'database-read': traits(1, 0.3, 0.25, 0, 64),
  'database-write': traits(1, 0.3, 0.25, 0, 4),
  'file-read': traits(1, 0.7, 0.4),
  'file-write': traits(1, 0.7, 0.4, 512),
  's3-read': traits(1.1, 0.6, 0.2, 0, 512),
  's3-write': traits(1.1, 0.6, 0.2, 0, 8),
  stream: traits(1.3, 0.5, 0.2, 0, 512),
  sleep: traits(1, 0, 0.05),
}

const COUNTERS = [
  'heap_used_mb',
  'user_cpu_ms',
  'system_cpu_ms',
  'voluntary_switches',
  'involuntary_switches',
  'written_kb',
  'received_kb',
]

const RUNTIME_MB = 60 // the language's own
const COMFORTABLE = 0.8 // of memory in use: beyond it the collector works, as hard as it is short of room
const NOISE = 0.03 // of a mean over ten minutes at 30 requests a second
const COUNTER_NOISE = 0.05

/**
 * Made-up functions on something like AWS Lambda, measured at the paper's six memory sizes: 1–4 of 16 segments run one after
 * the other, each with a payload of its own. CPU time goes with 1/min(memory/1769 MB, parallelism), I/O with bandwidth, and too
 * little memory costs CPU. Same seed, same functions. Functions of the same segments form a group.
 *
 * Source: A.2; sizes of rolls as Sizeless' list has them (16/255/1599/130 of 2000 with 1/2/3/4 segments).
 * @throws {ConfigError} `config_invalid`
 */
export function generateServerless(core: Core, options: ServerlessOptions = {}): RuntimeTable {
  const { functions = 1000, seed = 1, counters = true } = options
  const problems = new Problems()
  problems.check(
    Number.isInteger(functions) && functions >= 1,
    `functions must be a whole number >= 1, got ${functions}`,
  )
  problems.throwIfAny('generated functions')
  const random = new Random(core, seed, 103)
  const builder = new RuntimeTableBuilder(['memory_mb'], counters ? COUNTERS : [])
  for (let i = 0; i < functions; i++) {
    const segments = roll(core, random)
    const group = multisetKey({ segments })
    for (const memoryMb of LAMBDA_SIZES_MB) {
      const { durationMs, counted } = run(core, segments, memoryMb)
      const seconds = (durationMs / 1000) * core.math.exp(random.normal(0, NOISE))
      const noisy = counted.map((value) => value * core.math.exp(random.normal(0, COUNTER_NOISE)))
      builder.add({
        workload: `function-${i + 1}`,
        group,
        settings: [String(memoryMb)],
        seconds,
        usd: seconds * (memoryMb / 1024) * AWS_USD_PER_GB_SECOND,
        counters: counters ? noisy : [],
      })
    }
  }
  random.dispose()
  return builder.build(`generated-${seed}`)
}

function roll(core: Core, random: Random): Segment[] {
  const part = random.uniform() * 2000
  const count = part < 16 ? 1 : part < 271 ? 2 : part < 1870 ? 3 : 4
  return Array.from({ length: count }, () =>
    withPayload(SEGMENTS[random.integer(SEGMENTS.length)]!, core.math.exp((random.uniform() - 0.5) * 1.4)),
  )
}

/** One request at one memory size, without noise. Exported for tests. */
export function run(
  core: Core,
  segments: readonly Segment[],
  memoryMb: number,
): { readonly durationMs: number; readonly counted: readonly number[] } {
  const share = memoryMb / MB_PER_VCPU
  const heapMb = RUNTIME_MB + Math.max(...segments.map(({ memoryMiB }) => memoryMiB))
  const pressure = 1 + 2 * Math.max(0, heapMb / memoryMb - COMFORTABLE)
  let [durationMs, userMs, systemMs, waits, throttled, writtenKb, receivedKb] = [0, 0, 0, 0, 0, 0, 0]
  for (const { name, workMs, waitMs } of segments) {
    const own = TRAITS[name]!
    const cpuMs = workMs * pressure
    const io = waitMs * core.math.pow(Math.max(1, 1 / share), own.bandwidthExponent)
    durationMs += cpuMs / Math.min(share, own.parallelism) + io
    userMs += cpuMs * (1 - own.systemShare)
    systemMs += cpuMs * own.systemShare
    waits += 1 + waitMs / 4
    throttled += cpuMs / 10 / Math.min(1, share)
    writtenKb += own.writtenKb
    receivedKb += own.receivedKb
  }
  return { durationMs, counted: [heapMb, userMs, systemMs, waits, throttled, writtenKb, receivedKb] }
}
