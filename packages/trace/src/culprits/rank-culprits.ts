import { TraceError } from '@trimtab/core'
import type { TraceCore } from '@trimtab/core/trace'
import { type Owner, ownerName } from '../owner.js'
import { calibrate } from './calibration.js'
import { type Comparison, compare, EVIDENCE, EVIDENCE_COUNT, type EvidenceName, REFERENCE, WINDOW } from './evidence.js'
import { type CulpritModel, scores, softmax, weightsOf } from './model.js'
import { poolWindows } from './pool.js'
import { reasonsFor } from './reasons.js'
import { SHIPPED_MODEL } from './shipped-model.js'
import type { CulpritContext, CulpritWindow } from './window.js'

/** What weighs the evidence, and the seed of its noise. */
export interface RankOptions {
  /** Default: the weights shipped with the package. */
  readonly model?: CulpritModel
  /** Of the random splits that measure the noise. Default 1. */
  readonly seed?: number
}

/** One service of the comparison and what speaks against it. */
export interface Culprit {
  readonly service: string
  /** Σ weight · evidence; only its order means something. */
  readonly score: number
  /** How likely it is the one, if exactly one of the services is. */
  readonly probability: number
  /** ln(1 + evidence in units of its noise in the reference); 0 where it is no more than average. */
  readonly evidence: Readonly<Record<EvidenceName, number>>
  /** Where the time is that counts against it: its work, the ways to it and from it; what added most first. */
  readonly slower: readonly Slower[]
  /** In words, weightiest first; empty where nothing speaks against it. */
  readonly reasons: readonly string[]
}

/** What got slower, and by how much. */
export interface Slower {
  readonly owner: Owner
  /** µs that a request of the window spends more there, on its path; above 0. */
  readonly addedUs: number
}

/** All services of two windows by how likely each is the cause of the difference. */
export interface CulpritRanking {
  /** Every service of either window, most suspicious first; equals by name. */
  readonly culprits: readonly Culprit[]
  /** Traces compared. */
  readonly windowTraces: number
  readonly referenceTraces: number
  /** µs that a request of the window waits longer than one of the reference, summed over what got slower. */
  readonly addedUs: number
}

/** Fewer cannot be split into two parts worth comparing. */
const MIN_REFERENCE_TRACES = 8

/**
 * Which service broke what the window shows, judged against a reference without the fault.
 *
 * For each service, six kinds of evidence (see `compare`) are measured in units of the noise that comparisons *within*
 * the reference show, and weighed. Time between a caller's and a callee's span counts against the callee. This
 * localises faults that Alg. 3.2 cannot see (a distant or throttled service is slow before its own span starts) and
 * needs a reference; `criticalComponents` is the paper's method and needs none.
 *
 * @throws {TraceError} `window_empty`, `reference_too_small` (fewer than 8 traces)
 */
export function rankCulprits(
  core: TraceCore,
  window: CulpritWindow,
  reference: CulpritWindow,
  options: RankOptions = {},
): CulpritRanking {
  const model = options.model ?? SHIPPED_MODEL
  const windowTraces = window.observations().length
  const referenceTraces = reference.observations().length
  if (windowTraces === 0) throw new TraceError('window_empty', 'the window holds no trace: there is nothing to explain')
  if (referenceTraces < MIN_REFERENCE_TRACES) {
    throw new TraceError(
      'reference_too_small',
      `the reference holds ${referenceTraces} traces, at least ${MIN_REFERENCE_TRACES} are needed to know its noise; add traces from before the fault, or use criticalComponents, which needs no reference`,
    )
  }
  const pool = poolWindows(core, [window, reference])
  const side = new Uint8Array(pool.traces).fill(REFERENCE)
  side.fill(WINDOW, 0, windowTraces)
  const comparison = compare(core, pool, side)
  const noise = calibrate(core, pool, {
    first: windowTraces,
    count: referenceTraces,
    windowTraces,
    seed: options.seed ?? 1,
  })
  const evidence = comparison.evidence.map((value, cell) =>
    core.math.log(1 + Math.max(0, (value - noise.mean[cell]!) / noise.scale[cell]!)),
  )
  const weights = weightsOf(model)
  const score = scores(evidence, weights)
  const probability = softmax(core, score)
  const culprits = pool.services.map((service, number): Culprit => {
    const own = EVIDENCE.map((name, index) => [name, evidence[number * EVIDENCE_COUNT + index]!])
    return {
      service,
      score: score[number]!,
      probability: probability[number]!,
      evidence: Object.fromEntries(own) as Record<EvidenceName, number>,
      slower: slowerOf(comparison, number),
      reasons: reasonsFor(comparison, number, { evidence, weights, exp: core.math.exp }),
    }
  })
  culprits.sort((a, b) => b.score - a.score || (a.service < b.service ? -1 : 1))
  return { culprits, windowTraces, referenceTraces, addedUs: comparison.addedUs }
}

/** What of a service, and of the ways to and from it, got slower: largest first, then by name. */
function slowerOf({ changes }: Comparison, service: number): Slower[] {
  const added = new Map<string, { readonly owner: Owner; addedUs: number }>()
  for (const { context, addedUs } of changes) {
    if (context.serviceNumber !== service && context.calleeNumber !== service) continue
    const owner = ownerOf(context)
    const name = ownerName(owner)
    const entry = added.get(name) ?? { owner, addedUs: 0 }
    added.set(name, entry)
    entry.addedUs += addedUs
  }
  return [...added]
    .filter(([, { addedUs }]) => addedUs > 0)
    .sort(([a, x], [b, y]) => y.addedUs - x.addedUs || (a < b ? -1 : 1))
    .map(([, entry]) => entry)
}

const ownerOf = ({ service, callee, kind = 'call' }: CulpritContext): Owner =>
  callee === undefined ? { service } : { caller: service, callee, kind }
