// The comparison of `trimtab autoscale` for one application, told while it happens.

import { createCore } from 'trimtab/core'
import { type AutoscalingReport, cellOf, renderReport, SUMMARY_COLUMNS, titleOf } from 'trimtab/report'
import {
  AUTOSCALERS,
  type AutoscalerName,
  AutoscalerTrial,
  type AutoscalerTrialSpec,
  autoscalingReportOf,
  runAutoscalerTrial,
} from 'trimtab/studies'
import { parseLoad } from 'trimtab/tasks/autoscaling'
import type { LiveEvent, LiveOptions, Outcome } from './protocol.js'

/** Those who are watched; the rest is only judged, for the table. */
const WATCHED: readonly AutoscalerName[] = ['hpa-vpa', 'ddpg-scratch', 'trimtab']

/** What one step of one controller looks like on the charts. */
interface Point {
  readonly p99Ms: number
  readonly replicas: number
  readonly requestedCores: number
}

/** @throws {ConfigError} `load_invalid` */
export async function* simulate(options: LiveOptions): AsyncGenerator<LiveEvent, void> {
  const { app, seed, episodes, sloFactor } = options
  const load = options.load && parseLoad(options.load.name, options.load.text)
  const specOf = (controller: AutoscalerName): AutoscalerTrialSpec => ({
    ...(load && { load }),
    appSeed: app,
    seed,
    controller,
    episodes,
    sloFactor,
  })
  const core = await createCore()
  yield { type: 'note', text: 'tuning HPA+VPA to this application' }
  const trials = WATCHED.map((controller) => new AutoscalerTrial(core, specOf(controller)))
  const { simulator, stepsPerEpisode } = trials[0]!.environment
  yield {
    type: 'start',
    controllers: AUTOSCALERS.filter(({ name }) => WATCHED.includes(name)),
    episodes,
    reward: 'reward an episode, of 200',
    steps: { sloMs: simulator.sloMs, perEpisode: stepsPerEpisode, seconds: simulator.options.stepSeconds },
  }
  for (let episode = 0; episode < episodes; episode++) {
    const lives = trials.map(liveEpisode)
    const listOf = <T>(read: (life: (typeof lives)[number]) => T): T[] => lives.map(read)
    for (let step = 0; step < stepsPerEpisode; step++) {
      yield {
        type: 'step',
        episode,
        step,
        p99Ms: listOf(({ points }) => points[step]!.p99Ms),
        replicas: listOf(({ points }) => points[step]!.replicas),
        requestedCores: listOf(({ points }) => points[step]!.requestedCores),
      }
    }
    yield {
      type: 'episode',
      episode,
      reward: listOf(({ outcome }) => outcome.reward),
      stage: lives.at(-1)!.outcome.stage,
    }
  }
  const results = trials.map((trial) => trial.judge())
  for (const trial of trials) trial.dispose()
  for (const { name, label } of AUTOSCALERS.filter((one) => !WATCHED.includes(one.name))) {
    yield { type: 'note', text: `judging, for comparison: ${label}` }
    results.push(runAutoscalerTrial(core, specOf(name)))
  }
  const report = autoscalingReportOf(results, { load: load?.name ?? 'generated', episodes, sloFactor })
  yield { type: 'done', outcome: outcomeOf(report) }
}

const outcomeOf = (report: AutoscalingReport): Outcome => ({
  heads: SUMMARY_COLUMNS.map(titleOf),
  rows: report.controllers.map((controller) => ({
    controller,
    cells: SUMMARY_COLUMNS.map((column) => cellOf(column, controller)?.mean ?? '–'),
  })),
  findings: report.findings,
  page: renderReport(report),
})

/** One learning episode of one controller, its steps kept for showing. */
function liveEpisode(trial: AutoscalerTrial): {
  readonly outcome: ReturnType<AutoscalerTrial['learnEpisode']>
  readonly points: Point[]
} {
  const { simulator } = trial.environment
  const points: Point[] = []
  const outcome = trial.learnEpisode(() => {
    const { telemetry, truth } = simulator
    points.push({
      p99Ms: truth.p99Ms,
      replicas: telemetry.readyReplicas + telemetry.startingReplicas,
      requestedCores: truth.requestedCores,
    })
  })
  return { outcome, points }
}
