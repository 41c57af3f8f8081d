// Rankings of the library as a report shows them.

import type { TraceCore } from '@trimtab/trace'
import {
  type CriticalComponents,
  type CulpritRanking,
  type CulpritWindow,
  criticalComponents,
  type Profile,
  rankCulprits,
} from '@trimtab/trace'
import { duration, plural } from './report/format.js'
import type { CulpritsView, SpeedChange, WhatIfView } from './report/types.js'
import { asInBaseline, usualChanges } from './what-if.js'

const STANDS_OUT = 3 // times what comparisons within the baseline show by chance

/** Against a time when all was well: the ranking by evidence. */
export function suspectsAgainst(
  core: TraceCore,
  window: CulpritWindow,
  reference: CulpritWindow,
  top: number,
): CulpritsView {
  return viewOfRanking(rankCulprits(core, window, reference), top)
}

function viewOfRanking(
  { culprits, windowTraces, referenceTraces, addedUs }: CulpritRanking,
  top: number,
): CulpritsView {
  return {
    against: `${plural(windowTraces, 'request')} compared with ${plural(referenceTraces, 'request')} of a time when all was well; a request waits ${duration(addedUs)} longer in what got slower`,
    suspects: culprits
      .filter(({ evidence }) => Object.values(evidence).some((timesNoise) => timesNoise >= STANDS_OUT))
      .slice(0, top)
      .map(({ service, score, probability, slower, reasons }) => ({
        service,
        score,
        probability01: probability,
        slower: slower.map(({ owner, addedUs }) => ({
          ...('service' in owner
            ? { service: owner.service }
            : { service: owner.caller, callee: owner.callee, kind: owner.kind }),
          addedUs,
        })),
        reasons,
      })),
  }
}

/** Without one: the paper's critical components, by relative importance and congestion intensity (Alg. 3.2). */
export function suspectsWithin(core: TraceCore, profile: Profile, top: number): CulpritsView {
  return viewOfComponents(criticalComponents(profile, { core }), profile.traces, top)
}

function viewOfComponents({ components, classifier }: CriticalComponents, requests: number, top: number): CulpritsView {
  return {
    against: `${plural(requests, 'request')} judged by themselves (critical components, Algorithm 3.2), a ranking by its margin: how sure it is, only a comparison with a time when all was well can say (--baseline)`,
    judge: classifier,
    suspects: components
      .filter(({ verdict }) => verdict?.isCritical)
      .slice(0, top)
      .map(({ service, instance, verdict, reasons }) => ({
        service,
        ...(instance !== '' && { instance }),
        score: verdict!.decision,
        reasons,
      })),
  }
}

/** What to replay for each suspect: all that got slower as in the baseline; without one, it twice as fast. */
export const suspectFixes = ({ suspects }: CulpritsView): SpeedChange[][] =>
  suspects.map((suspect) =>
    suspect.slower && suspect.slower.length > 0 ? suspect.slower.map(asInBaseline) : usualChanges([suspect])[0]!,
  )

/** @param gains  of the first suspects, in their order */
export const withGains = ({ suspects, ...rest }: CulpritsView, gains: readonly WhatIfView[]): CulpritsView => ({
  ...rest,
  suspects: suspects.map((suspect, i) => (gains[i] ? { ...suspect, whatIf: gains[i] } : suspect)),
})
