// Is there anything to adapt to? For each task: what the best constant action of another pair loses, how far one action for
// all gets, and how fast the simulator runs. Usage: node test/experiments/meta/contrast.mjs [TASK…] [--pairs N]
import { parseArgs } from 'node:util'
import { createCore } from '@trimtab/core'
import { evaluate } from '@trimtab/learn'
import { TASKS } from '@trimtab/tasks'
import { FixedRate } from '@trimtab/tasks/congestion-control'

/** Every action of a discrete space; of a box, a grid that the bound of evaluations allows. */
function candidates({ kind, high }) {
  if (kind === 'discrete') return Array.from({ length: high[0] + 1 }, (_, i) => Float32Array.of(i))
  const levels = high.length === 1 ? 33 : 11
  return Array.from({ length: levels ** high.length }, (_, n) =>
    Float32Array.from(high, (_, i) => (2 * (Math.floor(n / levels ** i) % levels)) / (levels - 1) - 1),
  )
}

/** What a candidate does: its action for ever, or, where actions change a rate, the rate it stands for on a log scale of 5 … 20,000. */
function controllerOf(world, candidate) {
  if (world.action.names[0] !== 'rateChange') return { decide: (_observation, out) => out.set(candidate) }
  return new FixedRate(world, 5 * 4000 ** ((candidate[0] + 1) / 2))
}

/** Mean reward of an episode under one action for ever. */
function episodeReward(world, candidate, seeds) {
  const controller = controllerOf(world, candidate)
  return evaluate(controller, world, { seeds }).mean
}

const percent = (x) => `${(100 * x).toFixed(1)} %`
const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/**
 * @returns {{ otherLoses: number, single: number, stepsPerSecond: number }}  shares of a pair's own best constant action
 */
export function measureContrast(core, task, pairs, seeds = [1]) {
  const specs = task.pool(core, 0, pairs)
  const actions = candidates(task.action)
  const start = process.cpuUsage().user
  const rewards = specs.map((spec) => {
    const world = task.environment(core, spec)
    const row = actions.map((action) => episodeReward(world, action, seeds))
    world.dispose()
    return row
  })
  const seconds = (process.cpuUsage().user - start) / 1e6
  const best = rewards.map((row) => row.indexOf(Math.max(...row)))
  const worth = rewards.map((row, i) => row.map((reward) => reward / row[best[i]]))
  const losses = worth.flatMap((row, i) => best.filter((_, j) => j !== i).map((action) => 1 - row[action]))
  const singles = actions.map((_, a) => mean(worth.map((row) => row[a])))
  return {
    otherLoses: mean(losses),
    otherLosesMedian: median(losses),
    single: Math.max(...singles),
    singleAction: [...actions[singles.indexOf(Math.max(...singles))]],
    best: rewards.map((row, i) => row[best[i]]),
    worst: rewards.map((row) => Math.min(...row)),
    stepsPerSecond: (actions.length * pairs * seeds.length * task.episodeSteps) / seconds,
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { pairs: { type: 'string', default: '20' } },
  })
  const core = await createCore()
  for (const name of positionals.length > 0 ? positionals : Object.keys(TASKS)) {
    const m = measureContrast(core, TASKS[name], Number(values.pairs))
    console.log(
      `${name}: another pair's best action loses ${percent(m.otherLoses)} (median ${percent(m.otherLosesMedian)}); ` +
        `one action for all earns ${percent(m.single)} (${m.singleAction.map((x) => x.toFixed(2))}); ` +
        `best ${mean(m.best).toFixed(1)}, worst ${mean(m.worst).toFixed(1)} an episode; ` +
        `${Math.round(m.stepsPerSecond / 1000)}k steps/s`,
    )
  }
}
