import { diffProfiles, type EdgeChange, type JudgedChange, type ServiceChange } from '@trimtab/trace'
import { latencyView, type TraceAnalysis } from './analysis.js'
import { percent, signedPercent } from './report/format.js'
import type { DiffRow, DiffView } from './report/types.js'

const SURE = 3 // standard errors of the rank test
const WORTH_MENTIONING01 = 0.05 // of a quantile

/** What changed between two windows: services and the ways between them, the largest change first. */
export function differenceOf(before: TraceAnalysis, after: TraceAnalysis): DiffView {
  const { latency, services, edges, newEndpoints, goneEndpoints } = diffProfiles(before.profile, after.profile)
  const changes = [...services, ...edges].map(
    (change): DiffRow => ({
      ...placeOf(change),
      beforeUs: change.beforeNs / 1e3,
      afterUs: change.afterNs / 1e3,
      p50BeforeUs: change.p50.beforeNs / 1e3,
      p50AfterUs: change.p50.afterNs / 1e3,
      p99BeforeUs: change.p99.beforeNs / 1e3,
      p99AfterUs: change.p99.afterNs / 1e3,
      share01: latency.deltaNs === 0 ? 0 : change.deltaNs / latency.deltaNs,
      rankZ: change.rankZ,
    }),
  )
  const size = ({ beforeUs, afterUs }: DiffRow) => Math.abs(afterUs - beforeUs)
  const nameOf = ({ service, operation }: { readonly service: string; readonly operation: string }) =>
    `${service} ${operation}`.trimEnd()
  const because = whyWorse(latency)
  return {
    before: latencyView(before.profile.latency),
    after: latencyView(after.profile.latency),
    changeUs: latency.deltaNs / 1e3,
    change01: latency.deltaNs / latency.beforeNs,
    marginUs: (latency.high - latency.low) / 2e3,
    slower01: latency.slower01,
    rankZ: latency.rankZ,
    isWorse: because.length > 0,
    because: because.join(', '),
    completeBefore01: before.complete01,
    completeAfter01: after.complete01,
    services: changes.filter((change) => size(change) > 0).sort((a, b) => size(b) - size(a)),
    newEndpoints: newEndpoints.map(nameOf),
    goneEndpoints: goneEndpoints.map(nameOf),
  }
}

const placeOf = (change: ServiceChange | EdgeChange): Pick<DiffRow, 'service' | 'callee' | 'kind'> =>
  'service' in change
    ? { service: change.service }
    : { service: change.caller, callee: change.callee, kind: change.kind }

/**
 * What says that requests got slower; empty if nothing does. Either many did (the rank test is sure, and median or mean
 * grew), or the slow ones (p99 grew beyond the intervals of both sides).
 */
function whyWorse({ beforeNs, afterNs, rankZ, slower01, p50, p99 }: JudgedChange): string[] {
  const growth = ({ beforeNs, afterNs }: { readonly beforeNs: number; readonly afterNs: number }) =>
    afterNs / beforeNs - 1
  const [middle, mean] = [growth(p50), growth({ beforeNs, afterNs })]
  return [
    ...(rankZ > SURE && Math.max(middle, mean) > WORTH_MENTIONING01
      ? [
          `p50 ${signedPercent(middle)} and mean ${signedPercent(mean)}, with ${percent(slower01)} of all pairs slower after`,
        ]
      : []),
    ...(p99.isSure && growth(p99) > WORTH_MENTIONING01 ? [`p99 ${signedPercent(growth(p99))}`] : []),
  ]
}
