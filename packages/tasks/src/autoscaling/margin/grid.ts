import type { CoreMath } from '@trimtab/core'

/** Pod sizes at the nodes, cores: evenly on a logarithmic scale from 1/8 to 4. */
export const GRID_CORES: readonly number[] = [-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4].map(
  (halfOctaves) => 2 ** Math.floor(halfOctaves / 2) * (halfOctaves % 2 === 0 ? 1 : Math.SQRT2),
)
/** Work that arrives over the limit, at the nodes; the last is overload. */
export const GRID_UTILISATION: readonly number[] = [0.02, 0.08, 0.16, 0.24, 0.32, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.05]

const SIZES = GRID_CORES.length
const LOADS = GRID_UTILISATION.length
const OCTAVE_STEPS = 2

/** Nodes of the grid: sizes × loads, loads inside. */
export const GRID_NODES: number = SIZES * LOADS

/** A point between four nodes: the first of them and the weight of each. */
export class GridPoint {
  /** Index of the node below in both directions; the others are at `+ 1`, `+ stride` and `+ stride + 1`. */
  node = 0
  readonly stride: number = LOADS
  /** Weights of the four nodes, in that order. */
  readonly weights: Float64Array = new Float64Array(4)
  readonly #math: CoreMath

  constructor(math: CoreMath) {
    this.#math = math
  }

  /** Moves to a size and a load; what lies outside the grid is taken to its edge. */
  moveTo(cores: number, utilisation: number): void {
    const octaves = this.#math.log(cores / GRID_CORES[0]!) / Math.LN2
    const size = Math.max(0, Math.min(SIZES - 1 - 1e-9, OCTAVE_STEPS * octaves))
    const load = Math.max(GRID_UTILISATION[0]!, Math.min(GRID_UTILISATION[LOADS - 1]! - 1e-9, utilisation))
    const i = Math.floor(size)
    let j = 0
    while (GRID_UTILISATION[j + 1]! <= load) j++
    const right = size - i
    const up = (load - GRID_UTILISATION[j]!) / (GRID_UTILISATION[j + 1]! - GRID_UTILISATION[j]!)
    this.node = i * LOADS + j
    this.weights[0] = (1 - right) * (1 - up)
    this.weights[1] = (1 - right) * up
    this.weights[2] = right * (1 - up)
    this.weights[3] = right * up
  }
}
