// A slow, obvious context encoder in f64: one context, one step at a time.

import { runTwin, toTwin } from '../twins.js'
import { runGruTwin } from './gru-twin.js'

export interface EncoderShape {
  readonly kind: 'set' | 'gru'
  readonly inputSize: number
  readonly hiddenSize: number
  readonly layers: number
  readonly dense: readonly number[]
  readonly activation: 'relu' | 'tanh'
  readonly allHidden: boolean
}

const meanOf = (rows: readonly number[][]): number[] =>
  rows[0]!.map((_, j) => rows.reduce((sum, row) => sum + row[j]!, 0) / rows.length)

/** Sequences [m][T][I] of one context → z [Z]. */
export function encodeTwin(
  shape: EncoderShape,
  parameters: ArrayLike<number>,
  sequences: readonly (readonly (readonly number[])[])[],
): number[] {
  const { kind, inputSize, hiddenSize, layers, dense, activation, allHidden } = shape
  if (sequences.length === 0) return dense.slice(-1).flatMap((size) => new Array<number>(size).fill(0))
  const all = Array.from(parameters)
  const width = kind === 'set' ? hiddenSize : 2 * hiddenSize * (allHidden ? layers : 1)
  const headSizes = [width, ...dense]
  const headCount = dense.reduce((sum, size, i) => sum + (headSizes[i]! + 1) * size, 0)
  const pool = all.slice(0, all.length - headCount)
  const head = toTwin(headSizes, all.slice(-headCount))
  const sizes = [inputSize, ...new Array<number>(layers).fill(hiddenSize)]
  const relu = sizes.slice(1).map(() => 'relu')
  const features =
    kind === 'set'
      ? sequences.flat().map((step) => runTwin(toTwin(sizes, pool), relu, step))
      : sequences.map((sequence) => {
          const gru = { inputSize, hiddenSize, layers, bidirectional: true }
          const { finalStates } = runGruTwin(gru, pool, sequence)
          return finalStates.slice(allHidden ? 0 : -2).flat()
        })
  return runTwin(
    head,
    dense.map(() => activation),
    meanOf(features),
  )
}
