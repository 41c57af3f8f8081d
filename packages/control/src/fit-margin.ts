import { type Controller, Problems, type StepInfo } from '@trimtab/core'
import { evaluate, type GuardOptions, type TrainingEnvironment } from '@trimtab/learn'
import { leaning } from './lean.js'

/** A learned policy, the rule that it must not be worse than, and the simulator that tells. */
export interface MarginFitParts {
  /** E.g. `EnvelopePilot.policy`. */
  readonly policy: Controller
  readonly rule: Controller
  readonly environment: TrainingEnvironment
}

/** By what a margin is fitted. */
export interface MarginFitOptions {
  /** What a step broke, as the objective counts it: 1 or 0, or how many jobs were late. */
  readonly violationsOf: (info: StepInfo) => number
  /** For each coordinate of the action [A], where more of it is safer: 1 upwards, −1 downwards, 0 neither. */
  readonly safeDirection: readonly (-1 | 0 | 1)[]
  /** Episodes of the part that is learned on, the same for rule and policy; what is judged later must be others. */
  readonly seeds: readonly number[]
  /**
   * Violations allowed, as a share of the rule's on these episodes. Default 0.8: what is chosen on some episodes looks a little better
   * there than it is.
   */
  readonly share?: number
  /** By what the margin is raised until it is enough, in units of [−1, 1]. Default 0.01. */
  readonly step?: number
  /** Steps after which an episode is cut; default: only the environment ends it. */
  readonly episodeSteps?: number
  /** Limits on changes, as they will hold where the policy serves. */
  readonly guard?: GuardOptions
}

/** What came of it. */
export interface MarginFit {
  /** The policy with the margin, to be served; the rule itself where no margin was enough. */
  readonly policy: Controller
  /** In [0, 1], also for `MarginPilot` to start with; undefined: none was enough. */
  readonly margin: number | undefined
  /** Of the policy with the margin, over all episodes. */
  readonly violations: number
  readonly ruleViolations: number
}

const OPTIONS: readonly (keyof MarginFitOptions)[] = [
  'violationsOf',
  'safeDirection',
  'seeds',
  'share',
  'step',
  'episodeSteps',
  'guard',
]

/**
 * The least margin to the safe side with which a policy violates no more than its rule, before it serves.
 *
 * A reward weighs cost against violations at a price that somebody set, so what learns from it may well end cheaper than its
 * rule and worse. Where a simulator can tell beforehand, this makes the two comparable: no worse on the same episodes, and what
 * is left of the saving is real. Nothing is learned.
 *
 * @throws {ConfigError} `config_invalid` with every problem; what `evaluate` throws
 * @example
 * const { policy, margin } = fitMargin({ policy: pilot.policy, rule, environment }, { violationsOf, safeDirection: [1], seeds })
 */
export function fitMargin({ policy, rule, environment }: MarginFitParts, options: MarginFitOptions): MarginFit {
  const { violationsOf, safeDirection, share = 0.8, step = 0.01, ...rest } = options
  const { action } = environment
  const problems = new Problems()
  problems.checkKeys(options, OPTIONS, 'options')
  const isWhole = safeDirection.length === action.names.length && safeDirection.some((direction) => direction !== 0)
  problems.check(isWhole, `safeDirection must have ${action.names.length} entries, one of them not 0`)
  problems.check(share >= 0, `share must be >= 0, got ${share}`)
  problems.check(step > 0 && step <= 1, `step must be in (0, 1], got ${step}`)
  problems.throwIfAny('margin fit')
  const violationsUnder = (controller: Controller): number => {
    let violations = 0
    evaluate(controller, environment, {
      ...rest,
      rule,
      onTick({ info }) {
        violations += violationsOf(info)
      },
    })
    return violations
  }
  const ruleViolations = violationsUnder(rule)
  for (let steps = 0; steps * step <= 1; steps++) {
    const margin = steps * step
    const leant = leaning(policy, action, safeDirection, () => margin)
    const violations = violationsUnder(leant)
    if (violations <= share * ruleViolations) return { policy: leant, margin, violations, ruleViolations }
  }
  return { policy: rule, margin: undefined, violations: ruleViolations, ruleViolations }
}
