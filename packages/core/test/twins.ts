// Slow, obvious versions of the kernels in f64.

export interface TwinLayer {
  readonly w: number[][] // [out][in]
  readonly b: number[]
}

export const activations: Record<string, (x: number) => number> = {
  linear: (x) => x,
  relu: (x) => Math.max(0, x),
  tanh: Math.tanh,
  sigmoid: (x) => 1 / (1 + Math.exp(-x)),
}

/** Canonical parameters → layers. */
export function toTwin(sizes: readonly number[], parameters: ArrayLike<number>): TwinLayer[] {
  let at = 0
  return sizes.slice(1).map((out, i) => {
    const w = Array.from({ length: out }, () => Array.from({ length: sizes[i]! }, () => parameters[at++]!))
    return { w, b: Array.from({ length: out }, () => parameters[at++]!) }
  })
}

export const fromTwin = (layers: readonly TwinLayer[]): number[] => layers.flatMap(({ w, b }) => [...w.flat(), ...b])

export const runTwin = (layers: readonly TwinLayer[], kinds: readonly string[], x: readonly number[]): number[] =>
  layers.reduce<number[]>(
    (input, { w, b }, i) =>
      w.map((row, o) => activations[kinds[i]!]!(row.reduce((sum, weight, k) => sum + weight * input[k]!, b[o]!))),
    [...x],
  )

export interface TwinAdam {
  readonly learningRate: number
  readonly beta1: number
  readonly beta2: number
  readonly epsilon: number
  readonly weightDecay: number
  readonly decoupled: boolean
  readonly maxNorm: number
}

/** One Adam step in place. */
export function adamTwin(
  options: TwinAdam,
  theta: number[],
  gradient: readonly number[],
  m: number[],
  v: number[],
  step: number,
): void {
  const norm = Math.hypot(...gradient)
  const clip = options.maxNorm > 0 ? Math.min(1, options.maxNorm / (norm + 1e-6)) : 1
  for (let i = 0; i < theta.length; i++) {
    const decay = options.weightDecay * theta[i]!
    const g = gradient[i]! * clip + (options.decoupled ? 0 : decay)
    m[i] = options.beta1 * m[i]! + (1 - options.beta1) * g
    v[i] = options.beta2 * v[i]! + (1 - options.beta2) * g * g
    if (options.decoupled) theta[i] = theta[i]! - options.learningRate * decay
    const mean = m[i]! / (1 - options.beta1 ** step)
    const square = v[i]! / (1 - options.beta2 ** step)
    theta[i] = theta[i]! - (options.learningRate * mean) / (Math.sqrt(square) + options.epsilon)
  }
}
