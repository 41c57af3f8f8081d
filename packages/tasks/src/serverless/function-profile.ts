import { type Core, Random } from '@trimtab/core'

/** What a function asks most of: functions of one category share a base model (4.7.2). */
export type FunctionCategory = 'cpu' | 'memory' | 'io'
/** All that there are. */
export const FUNCTION_CATEGORIES: readonly FunctionCategory[] = ['cpu', 'memory', 'io']

/** What one function costs. Plain JSON. A container serves one request at a time, on one core at most. */
export interface FunctionProfile {
  readonly name: string
  readonly category: FunctionCategory
  /** CPU work of a request on a core of speed 1: mean of a gamma distribution. */
  readonly workSeconds: number
  /** Squared coefficient of variation of the work; its gamma has the shape 1 / `workScv`. */
  readonly workScv: number
  /** Time that a request waits for I/O, always the same; it holds its container, but no core. */
  readonly ioSeconds: number
  /** What a container holds of its invoker's memory, used in full while it serves; whole. */
  readonly memoryMiB: number
  /** What a container uses of it between requests. */
  readonly idleMemoryMiB: number
  /** Requests take longer by this factor times what the invoker's memory is in use above `MEMORY_KNEE`. */
  readonly memorySensitivity: number
  /** Requests take longer by this factor times what the invoker's I/O is in use above `IO_KNEE`. */
  readonly ioSensitivity: number
  /** From the decision to start a container until it serves. */
  readonly coldStartSeconds: number
}

/** Share of an invoker's memory in use from which functions get in each other's way. */
export const MEMORY_KNEE = 0.7
/** The same of its I/O. */
export const IO_KNEE = 0.8

// Proposed, not measured: what each category does in general.
const SENSITIVITY: Readonly<Record<FunctionCategory, Pick<FunctionProfile, 'memorySensitivity' | 'ioSensitivity'>>> = {
  cpu: { memorySensitivity: 0.2, ioSensitivity: 0.1 },
  memory: { memorySensitivity: 0.5, ioSensitivity: 0.1 },
  io: { memorySensitivity: 0.1, ioSensitivity: 0.3 },
}
const WORK_SCV = 0.25 // gamma of shape 4

function profile(
  name: string,
  category: FunctionCategory,
  workSeconds: number,
  ioSeconds: number,
  memoryMiB: number,
  coldStartSeconds: number,
): FunctionProfile {
  return {
    ...{ name, category, workSeconds, workScv: WORK_SCV, ioSeconds, memoryMiB },
    ...{ idleMemoryMiB: 0.4 * memoryMiB, ...SENSITIVITY[category], coldStartSeconds },
  }
}

/**
 * Table 4.3. The work of Markdown, Uploader, MST and Sentiment is trimmed to the isolated p99 that the text prints (179, 283, 652
 * and 1190 ms); the others, memory and cold starts (2.05 s and .3 to 1 s for image and runtime) are proposals.
 */
export const PAPER_FUNCTIONS: readonly FunctionProfile[] = [
  profile('base64', 'memory', 0.12, 0.01, 256, 2.35),
  profile('primes', 'cpu', 0.45, 0, 256, 2.35),
  profile('markdown-to-html', 'memory', 0.0672, 0.01, 256, 2.35),
  profile('sentiment-analysis', 'cpu', 0.454, 0.05, 512, 2.85),
  profile('image-resize', 'cpu', 0.3, 0.05, 256, 2.55),
  profile('html-generation', 'cpu', 0.1, 0.01, 256, 2.35),
  profile('uploader', 'io', 0.041, 0.18, 256, 2.35),
  profile('compression', 'io', 0.12, 0.25, 256, 2.45),
  profile('image-inference', 'cpu', 0.8, 0.1, 512, 3.05),
  profile('page-rank', 'memory', 0.35, 0.05, 512, 2.65),
  profile('graph-bft', 'memory', 0.16, 0.05, 512, 2.65),
  profile('graph-mst', 'memory', 0.24, 0.05, 512, 2.65),
]

/** Ranges that a category's functions are rolled from, each even in the logarithm: seconds of work and of I/O, MiB. */
const SHAPES: Readonly<
  Record<FunctionCategory, Readonly<Record<'work' | 'io' | 'memory', readonly [low: number, high: number]>>>
> = {
  cpu: { work: [0.08, 1], io: [0.005, 0.1], memory: [128, 512] },
  memory: { work: [0.05, 0.5], io: [0.005, 0.1], memory: [256, 1024] },
  io: { work: [0.02, 0.15], io: [0.1, 0.6], memory: [128, 384] },
}
const STREAM = 107

/**
 * Rolls functions with the costs and sensitivities of their category.
 * @returns `count` functions named `function-SEED-i`; the first n of one seed are the same whatever the count
 */
export function generateFunctions(core: Core, seed: number, count: number): FunctionProfile[] {
  const random = new Random(core, seed, STREAM)
  const between = ([low, high]: readonly [number, number]): number =>
    low * core.math.exp(random.uniform() * core.math.log(high / low))
  const functions = Array.from({ length: count }, (_, i): FunctionProfile => {
    const category = FUNCTION_CATEGORIES[random.integer(FUNCTION_CATEGORIES.length)]!
    const { work, io, memory } = SHAPES[category]
    const { memorySensitivity, ioSensitivity } = SENSITIVITY[category]
    const memoryMiB = 64 * Math.round(between(memory) / 64)
    return {
      ...{ name: `function-${seed}-${i}`, category, memoryMiB },
      workSeconds: between(work),
      workScv: between([0.1, 1]),
      ioSeconds: between(io),
      idleMemoryMiB: memoryMiB * (0.2 + 0.4 * random.uniform()),
      memorySensitivity: memorySensitivity * between([0.5, 2]),
      ioSensitivity: ioSensitivity * between([0.5, 2]),
      coldStartSeconds: 2.05 + 0.3 + 0.7 * random.uniform(),
    }
  })
  random.dispose()
  return functions
}
