// The comparison of `trimtab compare` for one pair of any task, told while it happens.

import { createCore } from 'trimtab/core'
import { type Comparison, comparisonTable, renderComparison } from 'trimtab/report'
import { compare, controllersOf, describeController, LEARNERS, runTrial, Trial, type TrialSpec } from 'trimtab/studies'
import { loadTask } from 'trimtab/tasks'
import type { LiveEvent, LiveOptions, Outcome } from './protocol.js'

/** @throws {ConfigError} those of `loadTask`; what the task's worlds refuse */
export async function* compareLive(options: LiveOptions): AsyncGenerator<LiveEvent, void> {
  const { task: reference, app: pair, seed, episodes } = options
  const core = await createCore()
  const task = await loadTask(reference)
  const all = controllersOf(task)
  const watched = [all[0]!, ...LEARNERS.toReversed().filter((name) => all.includes(name))] // the rest is only judged
  const trials = watched.map(
    (controller) => new Trial(core, task, { task: reference, pair, seed, controller, episodes }),
  )
  yield {
    type: 'start',
    controllers: watched.map((name) => describeController(task, name)),
    rounds: episodes,
    value: task.labels.reward,
    stage: 'who decides in each learning episode',
    hasSteps: false,
  }
  for (let episode = 0; episode < episodes; episode++) {
    const lives = trials.map((trial) => trial.learnEpisode())
    const { stage } = lives.at(-1)!
    const text = `learning, episode ${episode + 1} of ${episodes}, stage ${stage}`
    yield { type: 'round', round: episode, values: lives.map(({ reward }) => reward), stage, text }
  }
  yield { type: 'note', text: 'judging' }
  const run = async (spec: TrialSpec) =>
    trials.find((trial) => trial.spec.controller === spec.controller)?.judge() ?? runTrial(core, task, spec)
  const comparison = await compare(task, { pairs: 1, first: pair, seeds: 1, seed, episodes, reference }, { run })
  for (const trial of trials) trial.dispose()
  yield { type: 'done', outcome: outcomeOf(comparison) }
}

function outcomeOf(comparison: Comparison): Outcome {
  const { heads, rows } = comparisonTable(comparison)
  return {
    heads,
    rows: comparison.controllers.map((controller, i) => ({ controller, cells: rows[i]! })),
    findings: comparison.findings,
    page: renderComparison(comparison),
  }
}
