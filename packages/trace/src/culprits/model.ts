import { FormatError } from '@trimtab/core'
import { JsonFields } from '@trimtab/core/internal'
import type { TraceCore } from '@trimtab/core/trace'
import { EVIDENCE, EVIDENCE_COUNT, type EvidenceName } from './evidence.js'

/** How much each kind of evidence counts. A service's score is Σ weight · ln(1 + evidence in units of its noise). */
export interface CulpritModel {
  readonly weights: Readonly<Record<EvidenceName, number>>
  /** What the weights were fitted on, in words. */
  readonly fittedOn: string
}

/** Every kind of evidence counts the same: what a model is pulled towards where its examples say little. */
export const EQUAL_WEIGHTS: CulpritModel = {
  weights: { callDelay: 1, ownDelay: 1, outgoingDelay: 1, callShare: 1, ownShare: 1, behaviour: 1 },
  fittedOn: 'nothing: all evidence counts the same',
}

/** One incident with a known culprit. S: services. */
export interface CulpritExample {
  /** [S, E] calibrated evidence, as `Ranking.evidence`. */
  readonly evidence: Float64Array
  /** Which of the S services it was; −1 (absent from the traces) teaches nothing. */
  readonly culprit: number
}

/** How weights are fitted, and what the model will say that it was fitted on. */
export interface FitCulpritOptions {
  readonly fittedOn: string
  /** Pull towards equal weights. Default 0.3. */
  readonly shrinkage?: number
}

const STEPS = 2000
const RATE = 0.02

/**
 * Fits the weights by the likelihood of the true culprit among all services of its incident (conditional logit),
 * shrunk towards equal weights; none is negative. Convex: the answer does not depend on the start.
 */
export function fitCulpritModel(
  core: TraceCore,
  examples: readonly CulpritExample[],
  { fittedOn, shrinkage = 0.3 }: FitCulpritOptions,
): CulpritModel {
  const weights = new Float64Array(EVIDENCE_COUNT).fill(1)
  const slope = new Float64Array(EVIDENCE_COUNT)
  const useful = examples.filter(({ culprit }) => culprit >= 0)
  for (let step = 0; step < STEPS; step++) {
    for (let e = 0; e < EVIDENCE_COUNT; e++) slope[e] = shrinkage * (weights[e]! - 1)
    for (const { evidence, culprit } of useful) {
      const shares = softmax(core, scores(evidence, weights))
      for (let e = 0; e < EVIDENCE_COUNT; e++) {
        let expected = 0
        for (let s = 0; s < shares.length; s++) expected += shares[s]! * evidence[s * EVIDENCE_COUNT + e]!
        slope[e]! += (expected - evidence[culprit * EVIDENCE_COUNT + e]!) / useful.length
      }
    }
    for (let e = 0; e < EVIDENCE_COUNT; e++) weights[e] = Math.max(0, weights[e]! - RATE * slope[e]!)
  }
  return { weights: namedWeights(weights), fittedOn }
}

/** [S] Σ weight · evidence. */
export function scores(evidence: Float64Array, weights: Float64Array): Float64Array {
  return Float64Array.from({ length: evidence.length / EVIDENCE_COUNT }, (_, service) => {
    let score = 0
    for (let e = 0; e < EVIDENCE_COUNT; e++) score += weights[e]! * evidence[service * EVIDENCE_COUNT + e]!
    return score
  })
}

export function softmax(core: TraceCore, values: Float64Array): Float64Array {
  let highest = -Infinity
  for (const value of values) highest = Math.max(highest, value)
  const shares = values.map((value) => core.math.exp(value - highest))
  let total = 0
  for (const share of shares) total += share
  return shares.map((share) => share / total)
}

export function weightsOf({ weights }: CulpritModel): Float64Array {
  return Float64Array.from(EVIDENCE, (name) => weights[name])
}

const FORMAT = 'trimtab-culprits'
const VERSION = 1

/** The model as JSON text. */
export function saveCulpritModel(model: CulpritModel): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, ...model }, null, 2)}\n`
}

/** @throws {FormatError} `culprit_model_invalid` */
export function loadCulpritModel(text: string): CulpritModel {
  const file = JsonFields.parse(text, invalid)
  const [format, version] = [file.text('format'), file.number('version')]
  if (format !== FORMAT || version !== VERSION)
    throw invalid(`it must have format ${FORMAT} version ${VERSION}, got ${format} ${version}`)
  const weights = file.object('weights')
  return {
    weights: namedWeights(EVIDENCE.map((name) => weights.number(name, 0))),
    fittedOn: file.has('fittedOn') ? file.text('fittedOn') : 'unknown',
  }
}

const invalid = (what: string): FormatError =>
  new FormatError(
    'culprit_model_invalid',
    `this culprit model cannot be used: ${what} (trimtab trace culprits --save-model makes one)`,
  )

function namedWeights(weights: ArrayLike<number>): Record<EvidenceName, number> {
  return Object.fromEntries(EVIDENCE.map((name, index) => [name, weights[index]!])) as Record<EvidenceName, number>
}
