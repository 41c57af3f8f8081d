// What is said of a live run, once for the terminal, Markdown and HTML.
import { printable } from '@trimtab/core/text'
import type { ArmVerdict } from '@trimtab/local'
import type { LiveFigures } from '@trimtab/local/live'
import { fixed } from '../report/format.js'
import type { LiveReport } from './run-live.js'

export const ARM_LABELS: Readonly<Record<string, string>> = {
  hpa: 'HPA, .25 core at 65 %',
  resize: 'resize rule, 60 %',
  trimtab: 'Trimtab',
}

/** A column of the table of arms. */
export interface FigureColumn {
  readonly title: string
  readonly cellOf: (figures: LiveFigures) => string
}

export const FIGURE_COLUMNS: readonly FigureColumn[] = [
  { title: 'p99 ms', cellOf: ({ p99Ms }) => fixed(p99Ms, 1) },
  { title: 'over the SLO', cellOf: ({ breaches, periods }) => `${breaches} of ${periods}` },
  { title: '%', cellOf: ({ breachPercent }) => fixed(breachPercent, 1) },
  { title: 'cores', cellOf: ({ cores }) => fixed(cores, 3) },
  { title: 'core·s', cellOf: ({ coreSeconds }) => fixed(coreSeconds, 1) },
  { title: 'used', cellOf: ({ usedCores }) => fixed(usedCores, 3) },
  { title: 'resizes/min', cellOf: ({ resizesPerMinute }) => fixed(resizesPerMinute, 1) },
  { title: 'scalings/min', cellOf: ({ scalingsPerMinute }) => fixed(scalingsPerMinute, 1) },
  { title: 'killed', cellOf: ({ kills }) => fixed(kills, 0) },
  { title: 'left out', cellOf: ({ flawed }) => fixed(flawed, 0) },
]

export const labelOf = (arm: string): string => ARM_LABELS[arm] ?? arm

/** What was run, and by what. */
export function factsOf({ settings, load, measured }: LiveReport): string {
  const { blocks, blockPeriods, periodSeconds, peakPerSecond, sloFactor, service } = settings
  const { limiter, isRoot, sloMs, calibration, check } = measured
  return [
    ...(service ? [`pods run ${printable(service.program)}, asked for ${printable(service.path)}`] : []),
    `real processes held by ${limiter}${isRoot ? ' as root' : ', without root'}`,
    `${blocks} blocks of ${blockPeriods * periodSeconds} s an arm in turns, the same arrivals for each, up to ${peakPerSecond}/s in the shape of ${printable(load)}`,
    `SLO ${sloMs.toFixed(1)} ms: ${sloFactor} × p99 with pods to spare (${calibration.p99Ms.toFixed(1)} ms)`,
    `share of CPU ${(100 * check.shareError).toFixed(1)} % off its limit, a resize in force after ${check.resizeMs.toFixed(0)} ms`,
  ].join(' · ')
}

/** What may be said, a sentence each. */
export function sentencesOf({ verdict }: LiveReport): string[] {
  const { verdicts, doubts, figures } = verdict
  if (doubts.length > 0) return doubts.map((doubt) => `no verdict: ${doubt}`)
  return verdicts.map((one) => `${sentenceOf(one)}; ${costOf(one, figures)}`)
}

function sentenceOf({ arm, beside, p99Ratio, interval, says }: ArmVerdict): string {
  const range = interval.some(Number.isNaN) ? 'one round' : `95 %: ${interval.map((end) => end.toFixed(2)).join('–')}`
  const figures = `${p99Ratio.toFixed(2)} of that of ${labelOf(beside)} (${range})`
  return says === 'no difference'
    ? `p99 of ${labelOf(arm)}: ${figures}: no difference of a fifth in all rounds`
    : `p99 of ${labelOf(arm)} is ${says}: ${figures}`
}

function costOf({ arm, beside }: ArmVerdict, figures: readonly LiveFigures[]): string {
  const [own, other] = [arm, beside].map((name) => figures.find((one) => one.arm === name)!)
  const points = own!.breachPercent - other!.breachPercent
  return `${(own!.coreSeconds / other!.coreSeconds).toFixed(2)} of its core·seconds, ${points >= 0 ? '+' : '−'}${Math.abs(points).toFixed(1)} points of periods over the SLO`
}

/** The periods that were left out, by what the host did. */
export function flawsOf({ measured }: LiveReport): string {
  const counts = new Map<string, number>()
  for (const { flaw } of measured.blocks.flatMap(({ periods }) => periods))
    if (flaw) counts.set(flaw, (counts.get(flaw) ?? 0) + 1)
  const WORDS: Readonly<Record<string, string>> = {
    lag: 'requests went out late',
    length: 'longer or shorter than a period',
    failures: 'failed requests',
  }
  return [...counts].map(([flaw, count]) => `${count}: ${WORDS[flaw]}`).join(', ') || 'none'
}
