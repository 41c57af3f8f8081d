import { createCore } from '@trimtab/core'
import {
  judgeLive,
  type LiveBlock,
  type LiveMeasurements,
  type LiveSettings,
  type LiveVerdict,
  measureLive,
  type PeriodRecord,
} from '@trimtab/local/live'
import type { LoadSeries } from '@trimtab/tasks/autoscaling'
import type { Host } from '../host.js'
import { createProgress } from '../progress.js'

/** What was measured, and what may be said of it: what is printed, reported and recorded. */
export interface LiveReport {
  readonly format: 'trimtab-live'
  readonly settings: LiveSettings
  /** Whose shape the load has. */
  readonly load: string
  readonly measured: LiveMeasurements
  readonly verdict: LiveVerdict
}

/** Measures on this machine how each arm scales pods under the same load; says on the way how far it is. */
export async function runLive(
  settings: LiveSettings,
  { series, stateFolder }: { readonly series: LoadSeries | undefined; readonly stateFolder: string | undefined },
  host: Host,
): Promise<LiveReport> {
  const progress = createProgress(host, 's')
  const { periodSeconds } = settings
  try {
    const measured = await measureLive(await createCore(), settings, series, {
      ...(stateFolder !== undefined && { stateFolder }),
      signal: host.signal,
      onNotice: (message) => host.stderr.write(`trimtab: ${message}\n`),
      onPeriod: (done, total, label, period) =>
        progress.update({
          done: done * periodSeconds,
          total: total * periodSeconds,
          label: period ? `${label} · ${describePeriod(period)}` : label,
        }),
      onBlock: (block, sloMs) => {
        progress.finish()
        host.stderr.write(`${describeBlock(block, sloMs)}\n`)
      },
    })
    const verdict = judgeLive(measured, periodSeconds)
    return { format: 'trimtab-live', settings, load: series?.name ?? 'a wave', measured, verdict }
  } finally {
    progress.finish()
  }
}

const describePeriod = ({ ratePerSecond, p99Ms, readyReplicas, coresPerReplica, flaw }: PeriodRecord): string =>
  `${ratePerSecond.toFixed(0)}/s, p99 ${p99Ms.toFixed(0)} ms, ${readyReplicas} × ${coresPerReplica.toFixed(2)} cores${flaw ? ` (${flaw})` : ''}`

/** A row of the table that grows while it runs. */
function describeBlock({ arm, round, periods, p99Ms }: LiveBlock, sloMs: number): string {
  const judged = periods.filter(({ isJudged, flaw }) => isJudged && flaw === undefined)
  const breaches = judged.filter(({ isBreach }) => isBreach).length
  const coreSeconds = periods.reduce((sum, period) => sum + period.coreSeconds, 0)
  const figures = [
    `p99 ${p99Ms.toFixed(1).padStart(6)} ms of ${sloMs.toFixed(0)}`,
    `${breaches} of ${judged.length} periods over the SLO`,
    `${coreSeconds.toFixed(1)} core·s`,
  ]
  return `${`round ${round + 1}`.padEnd(9)} ${arm.padEnd(8)} ${figures.join(' · ')}`
}
