import { ConfigError } from '@trimtab/core'
import type { TraceCore } from '@trimtab/core/trace'
import { sharedCore } from '../path/shared-core.js'
import type { Profile } from '../profile/index.js'
import { CriticalComponentClassifier } from './classifier.js'
import { type Component, measureComponents } from './component.js'
import type { FeatureDrift } from './drift.js'
import { FEATURE_SETS } from './features.js'
import { MIN_REQUESTS, reasonsFor } from './reasons.js'
import { SHIPPED_CLASSIFIERS } from './shipped-classifiers.js'
import type { Verdict } from './types.js'

/** What components are compared with and judged by. */
export interface CriticalComponentOptions {
  /** What is usual: the same application when it was well. Tells a slow component from one that always took long. */
  readonly reference?: Profile | undefined
  /** Default: the one shipped with this package, for windows with or without a reference. */
  readonly classifier?: CriticalComponentClassifier | undefined
  /** Default: one shared by all functions that were given none. */
  readonly core?: TraceCore | undefined
}

/** A component of the window with its measures and what the classifier says of it. */
export interface CriticalComponent extends Component {
  /** Undefined where there is nothing to judge by (`reasons` says so), and for what no request waited for. */
  readonly verdict: Verdict | undefined
  /** In words; each reads on from its name. */
  readonly reasons: readonly string[]
}

/** The components of a window, and how far the judge can be trusted on it. */
export interface CriticalComponents {
  /** All of the window, most suspicious first. */
  readonly components: readonly CriticalComponent[]
  /** What the classifier was taught with, and how it did on components it had not seen. */
  readonly classifier: string
  /** Features whose distribution in this window is not the one that the classifier was calibrated on. */
  readonly drift: readonly FeatureDrift[]
}

/**
 * Which components of a window to look at first, and why; with a reference also how sure that is.
 *
 * Source: dissertation 3.2.3, Algorithm 3.2, with T_i the time that a request waited for the component itself.
 *
 * @param window  requests of about the same time, at least a hundred or so
 * @example
 * const { components } = criticalComponents(profile, { reference: yesterday })
 * const [worst] = components
 * `${worst.service} ${worst.reasons.join(', ')}` // cart explains 61 % of the latency's variance, its p99 is 8.3× its median (n = 412)
 * @throws {ConfigError} `reference_missing`: the classifier needs one
 */
export function criticalComponents(window: Profile, options: CriticalComponentOptions = {}): CriticalComponents {
  const { reference, core = sharedCore(), classifier } = options
  if (classifier) return judge(core, window, reference, classifier)
  const shipped = CriticalComponentClassifier.load(core, SHIPPED_CLASSIFIERS[reference ? 'reference' : 'window'])
  try {
    return judge(core, window, reference, shipped)
  } finally {
    shipped.dispose()
  }
}

/** Without a reference the margin ranks, but nothing says how usual it is: no probability. */
const verdictOf = (verdict: Verdict, hasReference: boolean): Verdict =>
  hasReference ? verdict : { ...verdict, probability: undefined }

function judge(
  core: TraceCore,
  window: Profile,
  reference: Profile | undefined,
  classifier: CriticalComponentClassifier,
): CriticalComponents {
  const features = FEATURE_SETS[classifier.features]
  if (features.needsReference && !reference) {
    throw new ConfigError(
      'reference_missing',
      `this classifier compares components with a reference (${classifier.features}): give one, or a classifier of window features`,
    )
  }
  const seen: number[][] = []
  const components = measureComponents(core, window, reference).map((component): CriticalComponent => {
    const isJudged = component.isOnPath && component.requests >= MIN_REQUESTS
    const row = isJudged ? features.of(core.math, component) : undefined
    if (row) seen.push(row)
    const reasons = reasonsFor(component, features.needsReference)
    return { ...component, verdict: row && verdictOf(classifier.decide(row), features.needsReference), reasons }
  })
  const suspicion = ({ verdict }: CriticalComponent): number => verdict?.decision ?? Number.NEGATIVE_INFINITY
  return {
    components: components.sort((a, b) => suspicion(b) - suspicion(a) || b.varianceShare - a.varianceShare),
    classifier: classifier.describe(),
    drift: classifier.drift(seen).filter(({ isDrifted }) => isDrifted),
  }
}
