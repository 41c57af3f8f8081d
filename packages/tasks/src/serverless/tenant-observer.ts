import { WindowMax } from '../window-max.js'
import type { Feature } from './features.js'
import { clip } from './global-state.js'
import type { TenantTelemetry } from './telemetry.js'
import {
  beginStep,
  type ClusterScale,
  createTenantView,
  DEMAND_WINDOW,
  endStep,
  rememberStep,
  type TenantView,
} from './tenant-view.js'

/** Puts what features say of a tenant, within their ranges, at `at` of `out`; NaN where telemetry that one needs is missing. */
export function writeFeatures(
  features: readonly Feature[],
  view: Readonly<TenantView>,
  scale: ClusterScale,
  out: Float32Array,
  at: number,
): void {
  for (const [k, feature] of features.entries()) out[at + k] = clip(feature.of(view, scale), feature)
}

/** What is known of one tenant of a live platform: the view that agents of `ServerlessEnvironment` have, from telemetry as it comes. */
export class TenantObserver {
  readonly view: TenantView = createTenantView()
  readonly #demands = new WindowMax(new Float64Array(1 + DEMAND_WINDOW))
  #isFirst = true

  /** Takes in the step just ended; of one whose demand is not known, no more than that. */
  observe(telemetry: Readonly<TenantTelemetry>): void {
    const { view } = this
    beginStep(view)
    view.telemetry = { ...telemetry }
    if (Number.isNaN(telemetry.demandContainers)) return
    if (this.#isFirst) beginStep(view) // nothing was before
    this.#isFirst = false
    endStep(view)
    rememberStep(view)
    this.#demands.push(telemetry.demandContainers)
    view.largestDemand = this.#demands.max()
  }
}
