import { TraceError } from '@trimtab/core'
import type { TraceCore } from '@trimtab/core/trace'
import type { Owner } from '../owner.js'
import { compare, REFERENCE, WINDOW } from './compare.js'
import { EVIDENCE, type EvidenceName, evidenceOf } from './evidence.js'
import { inUnitsOfNoise } from './noise.js'
import { type Pool, poolWindows } from './pool.js'
import { reasonsFor } from './reasons.js'
import type { CulpritWindow } from './window.js'

/** How a ranking is made. */
export interface RankOptions {
  /** Of the random splits that measure the noise. Default 1. */
  readonly seed?: number
}

/** A service's work or the way between two, and how it differs from the reference. */
export interface OwnerChange {
  readonly owner: Owner
  /** By how many times its noise in the reference it grew; 0 where it grew no more than on average. */
  readonly timesNoise: number
  /** µs that a request of the window spends more there, on its path; below 0: less. */
  readonly addedUs: number
}

/** One service of the comparison and what speaks against it. */
export interface Culprit {
  readonly service: string
  /** Σ ln(1 + evidence²); only its order means something. */
  readonly score: number
  /** How likely it is the one, if exactly one of the services is. */
  readonly probability: number
  /** By how many times its noise in the reference each kind stands out; 0 where it is no more than average. */
  readonly evidence: Readonly<Record<EvidenceName, number>>
  /** Where time was added: its work, the ways to it and from it; most added first. */
  readonly slower: readonly OwnerChange[]
  /** In words, weightiest first; empty where nothing speaks against it. */
  readonly reasons: readonly string[]
}

/** All services of two windows by how likely each is the cause of the difference. */
export interface CulpritRanking {
  /** Every service of either window, most suspicious first; equals by name. */
  readonly culprits: readonly Culprit[]
  /** The work of each and the ways between them, by how far they stand out of their noise. */
  readonly owners: readonly OwnerChange[]
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
 * Times and behaviour are measured in units of the noise that comparisons *within* the reference show. Noise of real systems
 * has long tails: as a Cauchy variable, a deviation of z makes a fault ln(1 + z²) more likely, and what speaks against a
 * service adds up. `criticalComponents` is the paper's method and needs no reference.
 *
 * @throws {TraceError} `window_empty`, `reference_too_small` (fewer than 8 traces)
 */
export function rankCulprits(
  core: TraceCore,
  window: CulpritWindow,
  reference: CulpritWindow,
  options: RankOptions = {},
): CulpritRanking {
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
  const { seed = 1 } = options
  const standing = inUnitsOfNoise(core, pool, comparison, {
    first: windowTraces,
    count: referenceTraces,
    windowTraces,
    seed,
  })
  const evidence = pool.services.map((_, service) => evidenceOf(pool, comparison, standing, service))
  const score = evidence.map((one) => EVIDENCE.reduce((sum, name) => sum + core.math.log(1 + one[name] * one[name]), 0))
  const highest = Math.max(...score)
  const odds = score.map((value) => core.math.exp(value - highest))
  const allOdds = odds.reduce((sum, value) => sum + value, 0)
  const owners = pool.owners.map(
    ({ owner }, number): OwnerChange => ({
      owner,
      timesNoise: standing.growth[number]!,
      addedUs: comparison.addedUs[number]!,
    }),
  )
  const culprits = pool.services.map(
    (service, number): Culprit => ({
      service,
      score: score[number]!,
      probability: odds[number]! / allOdds,
      evidence: evidence[number]!,
      slower: owners
        .filter((_, owner) => isAt(pool, owner, number) && owners[owner]!.addedUs > 0)
        .sort((a, b) => b.addedUs - a.addedUs),
      reasons: reasonsFor(pool, comparison, number, evidence[number]!, core.math.exp),
    }),
  )
  return {
    culprits: culprits.sort((a, b) => b.score - a.score || (a.service < b.service ? -1 : 1)),
    owners: owners.toSorted((a, b) => b.timesNoise - a.timesNoise),
    windowTraces,
    referenceTraces,
    addedUs: owners.reduce((sum, { addedUs }) => sum + Math.max(0, addedUs), 0),
  }
}

const isAt = ({ owners }: Pool, owner: number, service: number): boolean =>
  owners[owner]!.serviceNumber === service || owners[owner]!.calleeNumber === service
