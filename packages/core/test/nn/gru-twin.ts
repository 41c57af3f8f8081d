// A slow, obvious GRU in f64: one sequence, one step, one gate at a time.
import { activations } from '../twins.js'

export interface GruShape {
  readonly inputSize: number
  readonly hiddenSize: number
  readonly layers: number
  readonly bidirectional: boolean
}

interface Unit {
  readonly wih: number[][]
  readonly whh: number[][]
  readonly bih: number[]
  readonly bhh: number[]
}

/** Canonical parameters → units in order of layer and direction. */
function unitsOf({ inputSize, hiddenSize, layers, bidirectional }: GruShape, parameters: ArrayLike<number>): Unit[] {
  let at = 0
  const take = (count: number): number[] => Array.from({ length: count }, () => parameters[at++]!)
  const matrix = (rows: number, columns: number): number[][] => Array.from({ length: rows }, () => take(columns))
  const directions = bidirectional ? 2 : 1
  return Array.from({ length: layers * directions }, (_, unit) => {
    const inputs = unit < directions ? inputSize : directions * hiddenSize
    return {
      wih: matrix(3 * hiddenSize, inputs),
      whh: matrix(3 * hiddenSize, hiddenSize),
      bih: take(3 * hiddenSize),
      bhh: take(3 * hiddenSize),
    }
  })
}

/** One sequence [T][I] of its true length → outputs [T][D·H] and final states [L·D][H]. */
export function runGruTwin(
  shape: GruShape,
  parameters: ArrayLike<number>,
  sequence: readonly (readonly number[])[],
): { outputs: number[][]; finalStates: number[][] } {
  const { hiddenSize: H, layers } = shape
  const directions = shape.bidirectional ? 2 : 1
  const units = unitsOf(shape, parameters)
  const finalStates: number[][] = []
  let inputs: readonly (readonly number[])[] = sequence
  for (let layer = 0; layer < layers; layer++) {
    const outputs: number[][] = inputs.map(() => [])
    for (let direction = 0; direction < directions; direction++) {
      const { wih, whh, bih, bhh } = units[layer * directions + direction]!
      const dot = (row: readonly number[], x: readonly number[]): number =>
        row.reduce((sum, w, k) => sum + w * x[k]!, 0)
      let h = new Array<number>(H).fill(0)
      const order = inputs.map((_, t) => (direction === 0 ? t : inputs.length - 1 - t))
      for (const t of order) {
        const x = inputs[t]!
        const gate = (g: number): number => dot(wih[g]!, x) + bih[g]! + dot(whh[g]!, h) + bhh[g]!
        h = h.map((old, j) => {
          const r = activations.sigmoid!(gate(j))
          const z = activations.sigmoid!(gate(H + j))
          const g = 2 * H + j
          const n = Math.tanh(dot(wih[g]!, x) + bih[g]! + r * (dot(whh[g]!, h) + bhh[g]!))
          return (1 - z) * n + z * old
        })
        outputs[t]!.push(...h)
      }
      finalStates.push(h)
    }
    inputs = outputs
  }
  return { outputs: inputs.map((row) => [...row]), finalStates }
}
