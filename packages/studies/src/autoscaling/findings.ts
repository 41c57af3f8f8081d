import type { AutoscalerResult, AutoscalerSummary } from './report-types.js'

/** What a reader should take from the numbers, in plain sentences derived from them. */
export function findingsOf(controllers: readonly AutoscalerSummary[], results: readonly AutoscalerResult[]): string[] {
  const of = (name: string): AutoscalerSummary | undefined => controllers.find((c) => c.name === name)
  const ours = of('trimtab')
  const rule = of('hpa-vpa')
  const findings: string[] = []
  if (!ours || !rule) return findings
  const oracle = of('oracle')
  const gain = ours.reward.mean - rule.reward.mean
  const gap = oracle && oracle.reward.mean - rule.reward.mean
  const share = gap && gap > 0 ? ` (${((100 * gain) / gap).toFixed(0)} % of the gap to the oracle)` : ''
  const apps = [...new Set(results.map((r) => r.app))]
  const result = (app: string, controller: string): AutoscalerResult | undefined =>
    results.find((r) => r.app === app && r.controller === controller)
  const better = apps.filter((app) => (result(app, 'trimtab')?.reward ?? 0) > (result(app, 'hpa-vpa')?.reward ?? 0))
  findings.push(
    `Judged on load it has not seen, Trimtab earns ${signed(gain)} of 200 against tuned HPA+VPA${share}; more on ${better.length} of ${apps.length} applications.`,
    `SLO violations: Trimtab ${percent(ours.violationPercent.mean)}, HPA+VPA ${percent(rule.violationPercent.mean)} of steps; requested cores ${ours.requestedCores.mean.toFixed(1)} against ${rule.requestedCores.mean.toFixed(1)}, memory utilisation ${percent(100 * ours.memoryUtilisation01.mean)} against ${percent(100 * rule.memoryUtilisation01.mean)}.`,
  )
  const learning = [ours, rule, of('ddpg-scratch'), of('ddpg-paper')]
    .filter((c) => c?.learningViolationPercent !== undefined)
    .map((c) => `${c!.label} ${percent(c!.learningViolationPercent!.mean)}`)
  findings.push(`Violations in the learning episodes: ${learning.join(', ')}.`)
  const constant = of('constant')
  if (constant) {
    findings.push(
      `The best constant action, found with thousands of simulated episodes, earns ${signed(constant.reward.mean - rule.reward.mean)} with ${percent(constant.violationPercent.mean)} violations: much of the gain is the action space, the rest is learned.`,
    )
  }
  return findings
}

const signed = (value: number): string => `${value >= 0 ? '+' : '−'}${Math.abs(value).toFixed(1)}`
const percent = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} %`
