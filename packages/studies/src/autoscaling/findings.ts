import { meanOf } from '../spread.js'
import type { AutoscalerResult, AutoscalerSummary, AutoscalingReport, AutoscalingVerdict } from './report-types.js'

type Numbers = Pick<AutoscalingReport, 'settings' | 'controllers' | 'worlds' | 'results'>

const OURS = 'trimtab'
/** More violations than the rule's or the budget's that are put down to chance, points. */
const TOLERATED_POINTS = 0.1
/** What a decision takes: the spread of several runs, and a load that has seen a weekend. */
const [LEAST_SEEDS, LEAST_DAYS] = [3, 7]

/** What the strongest rules of the applications came to, each in its own: mean over applications. */
export function strongestRule({ worlds, results }: Pick<Numbers, 'worlds' | 'results'>): {
  readonly dollarsPerHour: number
  readonly violationPercent: number
  readonly learningViolationPercent: number
} {
  const strongest = worlds.map(({ app, strongest: rule }) => resultOf(results, app, rule))
  return {
    dollarsPerHour: meanOf(strongest.map(({ dollarsPerHour }) => dollarsPerHour)),
    violationPercent: meanOf(strongest.map(({ violationPercent }) => violationPercent)),
    learningViolationPercent: meanOf(strongest.map(({ learningViolationPercent }) => learningViolationPercent)),
  }
}

/**
 * Whether Trimtab should replace the strongest rule on this load: it costs less, and breaks the SLO, judged and while learning, in
 * at most 0.1 points more steps than that rule or the budget, whichever is more.
 */
export function verdictOf(numbers: Numbers): AutoscalingVerdict | undefined {
  const ours = numbers.controllers.find(({ name }) => name === OURS)
  if (!ours) return undefined
  const rule = strongestRule(numbers)
  const { budgetPercent } = numbers.settings
  const reasons: string[] = []
  if (!(ours.relativeCost.mean < 1)) {
    reasons.push(`it costs ${ours.relativeCost.mean.toFixed(3)} of what that costs`)
  }
  const check = (when: string, violations: number, rules: number): void => {
    const allowed = Math.max(rules, budgetPercent) + TOLERATED_POINTS
    if (violations > allowed) {
      reasons.push(
        `it breaks the SLO in ${percent(violations)} of steps ${when}, at most ${percent(allowed)} are allowed`,
      )
    }
  }
  check('judged', ours.violationPercent.mean, rule.violationPercent)
  check('while learning', ours.learningViolationPercent.mean, rule.learningViolationPercent)
  if (reasons.length > 0) {
    return { isFor: false, text: `Trimtab should not replace the strongest rule on this load: ${reasons.join('; ')}.` }
  }
  return {
    isFor: true,
    text: `${lookOf(numbers)}Trimtab may replace the strongest rule on this load: ${ours.relativeCost.mean.toFixed(3)} of its cost, the SLO broken in ${percent(ours.violationPercent.mean)} of steps judged and ${percent(ours.learningViolationPercent.mean)} while learning (the rule: ${percent(rule.violationPercent)} and ${percent(rule.learningViolationPercent)}, the budget: ${budgetPercent} %).`,
  }
}

/** Few runs of a short load say where to look on. */
function lookOf({ settings: { seeds, days } }: Numbers): string {
  const reasons = [
    ...(seeds.length < LEAST_SEEDS ? [`${seeds.length} ${seeds.length === 1 ? 'seed' : 'seeds'}`] : []),
    ...(days < LEAST_DAYS ? [`${Number(days.toFixed(1))} ${days === 1 ? 'day' : 'days'} of load`] : []),
  ]
  return reasons.length > 0
    ? `A look only (${reasons.join(', ')}; decide on ${LEAST_SEEDS} seeds and ${LEAST_DAYS} days): `
    : ''
}

/** What a reader should take from the numbers, in plain sentences derived from them. */
export function findingsOf(numbers: Numbers): string[] {
  const { controllers, worlds, results } = numbers
  const of = (name: string): AutoscalerSummary | undefined => controllers.find((c) => c.name === name)
  const [ours, common, oracle, alone] = [of(OURS), of('hpa-vpa'), of('oracle'), of('margin')]
  const names = [...new Set(worlds.map(({ strongest }) => strongest))].map((name) => of(name)!.label)
  const findings: string[] = []
  const beside =
    common && common.strongestIn < worlds.length
      ? `; judged, it costs ${change(1 / common.relativeCost.mean)} tuned HPA+VPA`
      : ''
  findings.push(
    `The strongest rule is the tuned rule that was cheapest within the budget on the learning part: the ${names.join(' or the ')}${beside}.`,
  )
  if (ours) {
    const gains = worlds.map(({ app }) => resultOf(results, app, OURS))
    const worst = gains.reduce((a, b) => (b.relativeCost > a.relativeCost ? b : a))
    const cheaper = gains.filter(({ relativeCost }) => relativeCost < 1).length
    findings.push(
      `Trimtab costs ${change(ours.relativeCost.mean)} the strongest rule, less on ${cheaper} of ${worlds.length} applications; worst ${worst.app}: ${change(worst.relativeCost)} it, SLO broken in ${percent(worst.violationPercent)} of steps.`,
    )
  }
  const hindsight = cheaperInHindsight(numbers, ours)
  if (hindsight !== undefined) findings.push(hindsight)
  if (ours && alone) {
    findings.push(
      `Without the guard its learner costs ${change(alone.relativeCost.mean)} the strongest rule, with ${percent(alone.violationPercent.mean)} violations judged and ${percent(alone.learningViolationPercent.mean)} while learning (guarded ${percent(ours.violationPercent.mean)} and ${percent(ours.learningViolationPercent.mean)}).`,
    )
  }
  if (oracle) findings.push(headroom(oracle, ours))
  const beyond = worlds.filter(({ isWithinSeen }) => !isWithinSeen).map(({ app }) => app)
  if (beyond.length > 0)
    findings.push(`The judged load goes beyond what the learning part showed: ${beyond.join(', ')}.`)
  return findings
}

/** Rules that turned out cheaper than the strongest when judged, within the budget; nothing where none did. */
function cheaperInHindsight(
  { settings, controllers, worlds, results }: Numbers,
  ours: AutoscalerSummary | undefined,
): string | undefined {
  const rules = controllers.filter(({ kind }) => kind === 'rule')
  const cheapest = worlds.map(({ app, strongest }) =>
    rules
      .map(({ name }) => resultOf(results, app, name))
      .filter(({ violationPercent }) => violationPercent <= settings.budgetPercent)
      .reduce(
        (a, b) => (b.dollarsPerHour < a.dollarsPerHour ? b : a),
        resultOf(results, app, strongest), // also where it broke the budget when judged
      ),
  )
  const others = cheapest.filter(({ controller }, i) => controller !== worlds[i]!.strongest)
  if (others.length === 0) return undefined
  const names = rules.filter(({ name }) => others.some(({ controller }) => controller === name))
  const who = names.map(({ label }) => label).join(' or ')
  const isOne = worlds.length === 1
  const found = isOne
    ? `Judged, the cheapest rule within the budget was ${who}`
    : `Judged, another rule was the cheapest within the budget on ${others.length} of ${worlds.length} applications (${who})`
  if (!ours) return `${found}.`
  const ratios = cheapest.map(({ app, dollarsPerHour }) => resultOf(results, app, OURS).dollarsPerHour / dollarsPerHour)
  return `${found}, which nobody could know beforehand: Trimtab costs ${change(meanOf(ratios))} ${isOne ? 'that' : 'the cheapest rule of each'}.`
}

/** What knowing the future would gain, and how much of that is reached. */
function headroom(oracle: AutoscalerSummary, ours: AutoscalerSummary | undefined): string {
  const most = 1 - oracle.relativeCost.mean
  const known = `Headroom: knowing the load to come and the law would save ${(100 * most).toFixed(0)} % of the strongest rule's cost`
  if (!ours || most <= 0) return `${known}.`
  const share = (1 - ours.relativeCost.mean) / most
  return `${known}; Trimtab reaches ${share > 0 ? `${(100 * share).toFixed(0)} %` : 'nothing'} of that.`
}

const resultOf = (results: readonly AutoscalerResult[], app: string, controller: string): AutoscalerResult =>
  results.find((one) => one.app === app && one.controller === controller)!

/** `12 % less than`. */
function change(relative: number): string {
  const difference = Math.abs(100 * (relative - 1))
  if (difference < 0.5) return 'as much as'
  return `${difference.toFixed(0)} % ${relative < 1 ? 'less' : 'more'} than`
}

const percent = (value: number): string => `${value.toFixed(2)} %`
