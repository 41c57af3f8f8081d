import { LENGTH_WEIGHTS } from './length-weights.js'

/**
 * A `LengthPredictor` as a file, trained by `scripts/train-length-predictor.mjs` on rows whose sources allow shipping
 * (arena-hard-auto, Apache-2.0; GPTeacher, MIT); its `provenance` names them. Models and traffic of your own differ: it learns
 * them from every finished request.
 *
 * @example
 * const predictor = LengthPredictor.load(core, defaultLengthWeights())
 */
export const defaultLengthWeights = (): Uint8Array =>
  Uint8Array.from(atob(LENGTH_WEIGHTS), (letter) => letter.charCodeAt(0))
