import { ConfigError } from '@trimtab/core'
import { type LoadSeries, parseLoad } from '@trimtab/tasks/autoscaling'
import { findingsOf } from './findings.js'
import type { AppResult, ComparisonProgress, ComparisonReport, ControllerSummary, Spread } from './report-types.js'
import { CONTROLLERS, type ControllerName, type TrialResult, type TrialSpec } from './trial.js'

export interface CompareOptions {
  /** A table of requests per minute; without it each application has a generated load of its own. */
  readonly load?: { readonly name: string; readonly text: string }
  /** Default: all. */
  readonly controllers?: readonly ControllerName[]
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

export interface CompareHooks {
  /** Runs one trial here or in a worker. */
  readonly run: (spec: TrialSpec) => Promise<TrialResult>
  readonly onProgress?: (progress: ComparisonProgress) => void
  readonly signal?: AbortSignal
}

/** What a load must cover: the judged 30 % hold an episode of 25 minutes and starts to choose from. */
const MIN_LOAD_MINUTES = 240

/**
 * Runs controllers side by side in the simulator: every controller meets the same applications, loads and seeds, learns (or
 * just lives) on the first 70 % of the load and is judged on the rest.
 * @throws {ConfigError} `load_invalid`
 */
export async function compare(options: CompareOptions, hooks: CompareHooks): Promise<ComparisonReport> {
  const { apps = 3, seeds = 3, episodes = 200, seed = 1, sloFactor = 2 } = options
  const wanted = options.controllers ?? CONTROLLERS.map(({ name }) => name)
  const load = options.load && readLoad(options.load)
  const specs: TrialSpec[] = []
  for (let app = 0; app < apps; app++) {
    for (let run = 0; run < seeds; run++) {
      for (const controller of wanted) {
        specs.push({ ...(load && { load }), appSeed: seed + app, seed: seed + run, controller, episodes, sloFactor })
      }
    }
  }
  let done = 0
  const results = await Promise.all(
    specs.map(async (spec) => {
      const result = await hooks.run(spec)
      hooks.signal?.throwIfAborted()
      done++
      const label = `app ${spec.appSeed - seed + 1}/${apps} · seed ${spec.seed} · ${spec.controller}`
      hooks.onProgress?.({ done, total: specs.length, label })
      return result
    }),
  )
  return reportOf(results, { load: load?.name ?? 'generated', episodes, sloFactor })
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
export function reportOf(
  results: readonly TrialResult[],
  settings: { readonly load: string; readonly episodes: number; readonly sloFactor: number },
): ComparisonReport {
  const apps = [...new Set(results.map((r) => r.app))]
  const seeds = [...new Set(results.map((r) => r.spec.seed))]
  const present = CONTROLLERS.filter(({ name }) => results.some((r) => r.spec.controller === name))
  const controllers = present.map((controller): ControllerSummary => {
    const own = results.filter((r) => r.spec.controller === controller.name)
    const spread = (of: (r: TrialResult) => number): Spread =>
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
    present.map(({ name }): AppResult => {
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

const isLearner = (name: string): boolean => CONTROLLERS.some((c) => c.name === name && c.kind === 'learner')

const meanOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length

function spreadOf(values: readonly number[]): Spread {
  const mean = meanOf(values)
  const squares = values.reduce((sum, v) => sum + (v - mean) ** 2, 0)
  return { mean, deviation: values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0 }
}
