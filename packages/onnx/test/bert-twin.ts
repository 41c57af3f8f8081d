import { EPSILON, type TinyBertShape, type Weights } from './tiny-bert.js'

// A slow, obvious BERT in f64: one row at a time, one number at a time.

type Vector = readonly number[]

/** The head's number for one prompt of token ids (none of them padding) and one served model; −1: an unknown one. */
export function bertTwin(shape: TinyBertShape, weights: Weights, ids: ArrayLike<number>, model: number): number {
  const { width: D, heads, layers, models } = shape
  const row = (name: string, i: number): number[] => Array.from(weights[name]!.values.subarray(i * D, i * D + D))
  const dense = (name: string, x: Vector): number[] => {
    const w = weights[`${name}.w`]!
    const b = weights[`${name}.b`]!.values
    const outputs = w.shape[1]!
    return Array.from(b, (bias, j) => x.reduce((sum, value, i) => sum + value * w.values[i * outputs + j]!, bias))
  }
  const norm = (name: string, x: Vector): number[] => {
    const mean = x.reduce((sum, value) => sum + value, 0) / D
    const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / D
    const [scale, shift] = [weights[`${name}.scale`]!.values, weights[`${name}.shift`]!.values]
    return x.map((value, i) => ((value - mean) / Math.sqrt(variance + EPSILON)) * scale[i]! + shift[i]!)
  }
  const plus = (a: Vector, b: Vector): number[] => a.map((value, i) => value + b[i]!)

  let x = Array.from(ids, (id, t) =>
    norm('embeddings', plus(plus(row('words', id), row('types', 0)), row('positions', t))),
  )
  for (let layer = 0; layer < layers; layer++) {
    const [q, k, v] = ['query', 'key', 'value'].map((part) => x.map((token) => dense(`${layer}.${part}`, token)))
    const mixed = x.map((): number[] => [])
    for (let head = 0; head < heads; head++) {
      const [mine, theirs, values] = [q!, k!, v!].map((all) =>
        all.map((vector) => vector.slice((head * D) / heads, ((head + 1) * D) / heads)),
      )
      for (const [t, query] of mine!.entries()) {
        const logits = theirs!.map(
          (key) => query.reduce((sum, value, i) => sum + value * key[i]!, 0) / Math.sqrt(D / heads),
        )
        const largest = Math.max(...logits)
        const shares = logits.map((logit) => Math.exp(logit - largest))
        const total = shares.reduce((sum, share) => sum + share, 0)
        for (let i = 0; i < D / heads; i++) {
          mixed[t]!.push(shares.reduce((sum, share, s) => sum + (share / total) * values![s]![i]!, 0))
        }
      }
    }
    x = x.map((token, t) => norm(`${layer}.attention`, plus(token, dense(`${layer}.output`, mixed[t]!))))
    x = x.map((token) => {
      const up = dense(`${layer}.up`, token).map((value) => (value * (1 + erf(value / Math.SQRT2))) / 2)
      return norm(`${layer}.layer`, plus(token, dense(`${layer}.down`, up)))
    })
  }
  const oneHot = Array.from({ length: models }, (_, i) => (i === model ? 1 : 0))
  const hidden = dense('head.hidden', [...x[0]!, ...oneHot]).map((value) => Math.max(0, value))
  return dense('head.score', hidden)[0]!
}

/** By its series, which converges everywhere; ample for |x| < 6. */
function erf(x: number): number {
  let term = x
  let sum = x
  for (let n = 1; n < 200; n++) {
    term *= (-x * x) / n
    sum += term / (2 * n + 1)
  }
  return (2 / Math.sqrt(Math.PI)) * sum
}
