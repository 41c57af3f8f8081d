import { ConfigError } from '@trimtab/core'
import { type LoadSeries, parseLoad } from '@trimtab/tasks/autoscaling'
import { runAll, type StudyHooks } from '../run-all.js'
import { meanOf, type Spread, spreadOf } from '../spread.js'
import { findingsOf } from './findings.js'
import type { AutoscalerResult, AutoscalerSummary, AutoscalingReport } from './report-types.js'
import { AUTOSCALERS, type AutoscalerName, type AutoscalerTrialResult, type AutoscalerTrialSpec } from './trial.js'

/** What is compared on which applications. */
export interface AutoscalingComparison {
  /** A table of requests per minute; without it each application has a generated load of its own. */
  readonly load?: { readonly name: string; readonly text: string }
  /** Default: all. */
  readonly controllers?: readonly AutoscalerName[]
  /** Generated applications. Default 3. */
  readonly apps?: number
  /** Runs of everything. Default 3. */
  readonly seeds?: number
  /** Learning episodes of 100 steps. Default 200. */
  readonly episodes?: number
  /** First seed of applications and runs. Default 1. */
  readonly seed?: number
  /** SLO as a multiple of the p99 at ample resources. Default 2. */
  readonly sloFactor?: number
}

/** Who runs the trials: this thread, unless told, or workers. */
export type AutoscalingHooks = StudyHooks<AutoscalerTrialSpec, AutoscalerTrialResult>

/** What a load must cover: the judged 30 % hold an episode of 25 minutes and starts to choose from. */
const MIN_LOAD_MINUTES = 240

/**
 * Runs controllers side by side in the simulator: every controller meets the same applications, loads and seeds, learns (or
 * just lives) on the first 70 % of the load and is judged on the rest.
 * @throws {ConfigError} `load_invalid`; what a trial throws; the signal's reason
 * @example
 * const core = await createCore()
 * const report = await compareAutoscalers({ apps: 1, episodes: 50 }, { run: async (spec) => runAutoscalerTrial(core, spec) })
 */
export async function compareAutoscalers(
  options: AutoscalingComparison,
  hooks: AutoscalingHooks,
): Promise<AutoscalingReport> {
  const { apps = 3, seeds = 3, episodes = 200, seed = 1, sloFactor = 2 } = options
  const wanted = options.controllers ?? AUTOSCALERS.map(({ name }) => name)
  const load = options.load && readLoad(options.load)
  const specs: AutoscalerTrialSpec[] = []
  for (let app = 0; app < apps; app++) {
    for (let run = 0; run < seeds; run++) {
      for (const controller of wanted) {
        specs.push({ ...(load && { load }), appSeed: seed + app, seed: seed + run, controller, episodes, sloFactor })
      }
    }
  }
  const labelOf = (spec: AutoscalerTrialSpec): string =>
    `app ${spec.appSeed - seed + 1}/${apps} · seed ${spec.seed} · ${spec.controller}`
  const results = await runAll(specs, labelOf, hooks)
  return autoscalingReportOf(results, { load: load?.name ?? 'generated', episodes, sloFactor })
}

function readLoad({ name, text }: { readonly name: string; readonly text: string }): LoadSeries {
  const load = parseLoad(name, text)
  if (load.shape.length < MIN_LOAD_MINUTES) {
    throw new ConfigError(
      'load_invalid',
      `${name} covers ${load.shape.length} minutes; learning and judging need ${MIN_LOAD_MINUTES}`,
    )
  }
  return load
}

/** The report of finished trials. */
export function autoscalingReportOf(
  results: readonly AutoscalerTrialResult[],
  settings: { readonly load: string; readonly episodes: number; readonly sloFactor: number },
): AutoscalingReport {
  const apps = [...new Set(results.map((r) => r.app))]
  const seeds = [...new Set(results.map((r) => r.spec.seed))]
  const present = AUTOSCALERS.filter(({ name }) => results.some((r) => r.spec.controller === name))
  const controllers = present.map((controller): AutoscalerSummary => {
    const own = results.filter((r) => r.spec.controller === controller.name)
    const spread = (of: (r: AutoscalerTrialResult) => number): Spread =>
      spreadOf(seeds.map((seed) => meanOf(own.filter((r) => r.spec.seed === seed).map(of))))
    return {
      ...controller,
      reward: spread((r) => r.judged.reward),
      violationPercent: spread((r) => r.judged.violationPercent),
      measuredViolationPercent: spread((r) => r.judged.measuredViolationPercent),
      p99OverSlo: spread((r) => r.judged.p99OverSlo),
      cpuUtilisation01: spread((r) => r.judged.cpuUtilisation01),
      memoryUtilisation01: spread((r) => r.judged.memoryUtilisation01),
      requestedCores: spread((r) => r.judged.requestedCores),
      ...(controller.kind !== 'bound' && { learningViolationPercent: spread((r) => r.learningViolationPercent) }),
      ...(controller.kind === 'learner' && { ruleEpisodes: spread((r) => r.ruleEpisodes) }),
    }
  })
  const appResults = apps.flatMap((app) =>
    present.map(({ name }): AutoscalerResult => {
      const own = results.filter((r) => r.app === app && r.spec.controller === name)
      return {
        app,
        controller: name,
        reward: meanOf(own.map((r) => r.judged.reward)),
        violationPercent: meanOf(own.map((r) => r.judged.violationPercent)),
        learningViolationPercent: meanOf(own.map((r) => r.learningViolationPercent)),
      }
    }),
  )
  return {
    format: 'trimtab-autoscale-report',
    version: 1,
    settings: { ...settings, apps, seeds, stepsPerEpisode: 100, stepSeconds: 15, world: 'simulation' },
    controllers,
    results: appResults,
    timelines: results.filter((r) => r.spec.seed === seeds[0]).map((r) => r.timeline),
    curves: results.filter((r) => isLearner(r.spec.controller)).map((r) => r.curve),
    findings: findingsOf(controllers, appResults),
  }
}

const isLearner = (name: string): boolean => AUTOSCALERS.some((c) => c.name === name && c.kind === 'learner')
