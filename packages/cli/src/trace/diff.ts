import { diffProfiles, type Profile } from '@trimtab/trace'
import { latencyView, type TraceAnalysis } from './analysis.js'
import type { DiffView } from './report/types.js'

export interface Difference {
  readonly view: DiffView
  /** Slower by more than noise and by enough to matter. */
  readonly isWorse: boolean
}

const SURE = 3 // standard errors
const WORTH_MENTIONING01 = 0.05 // of the mean latency

/** What changed between two windows, service by service, the largest change first. */
export function differenceOf(before: TraceAnalysis, after: TraceAnalysis): Difference {
  const { latency, services, newEndpoints, goneEndpoints } = diffProfiles(before.profile, after.profile)
  const [p99Before, p99After] = [before, after].map(({ profile }) => p99ByService(profile))
  const changes = services.map(({ service, beforeNs, afterNs, deltaNs, z }) => ({
    service,
    beforeUs: beforeNs / 1e3,
    afterUs: afterNs / 1e3,
    p99BeforeUs: p99Before!.get(service) ?? Number.NaN,
    p99AfterUs: p99After!.get(service) ?? Number.NaN,
    share01: latency.deltaNs === 0 ? 0 : deltaNs / latency.deltaNs,
    z,
  }))
  const size = ({ beforeUs, afterUs }: (typeof changes)[number]) => Math.abs(afterUs - beforeUs)
  const nameOf = ({ service, operation }: { readonly service: string; readonly operation: string }) =>
    `${service} ${operation}`.trimEnd()
  return {
    view: {
      before: latencyView(before.profile.latency),
      after: latencyView(after.profile.latency),
      changeUs: latency.deltaNs / 1e3,
      marginUs: (latency.high - latency.low) / 2e3,
      services: changes.sort((a, b) => size(b) - size(a)),
      newEndpoints: newEndpoints.map(nameOf),
      goneEndpoints: goneEndpoints.map(nameOf),
    },
    isWorse: latency.z > SURE && latency.deltaNs > WORTH_MENTIONING01 * latency.beforeNs,
  }
}

const p99ByService = (profile: Profile): Map<string, number> =>
  new Map(profile.services().map(({ service, self }) => [service, self.quantile(0.99) / 1e3]))
