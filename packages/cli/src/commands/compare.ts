import { availableParallelism } from 'node:os'
import type { ComparedController, Comparison, Spread } from '@trimtab/studies'
import { type Command, defineCommand, EXIT } from '../command.js'
import { numberOption, type Option, switchOption, textOption, UsageError } from '../options.js'
import { createProgress } from '../progress.js'
import { renderComparison } from '../report/comparison.js'
import { fixed } from '../report/format.js'
import { createPaint, formatTable, type Paint } from '../terminal.js'
import type { runComparison } from '../workers.js'
import { TASK_HELP, taskOf } from './task.js'

const namesOption: Option<readonly string[] | undefined> = {
  value: 'A,B',
  help: 'names of the task’s rules, trimtab (its learner beside the rule) and scratch (its learner alone); default all',
  fallback: undefined,
  read: (text) => ({ value: [...new Set(text.split(',').map((name) => name.trim()))] }),
}

const options = {
  controllers: namesOption,
  apps: numberOption('pairs of application and environment', 3, { min: 1, max: 1000 }),
  first: numberOption('number of the first pair', 1, { min: 0, max: 1_000_000_000 }),
  seeds: numberOption('runs of everything', 3, { min: 1, max: 50 }),
  episodes: numberOption('learning episodes', 100, { min: 0, max: 10_000 }),
  seed: numberOption('the first seed: same seed, same numbers', 1, { min: 0, max: 1_000_000_000 }),
  workers: numberOption('worker threads', availableParallelism(), { min: 1, max: 256 }),
  report: textOption('FILE', 'also an HTML report', undefined),
  json: switchOption('print all numbers as JSON instead of the table'),
}

/** @param run  does the work; tests hand in their own */
export const createCompare = (run: typeof runComparison): Command =>
  defineCommand({
    name: 'compare',
    summary: 'Compare the rules of any task with its learner, side by side in its simulator',
    operands: 'TASK',
    options,
    examples: [
      ['trimtab compare cpu-frequency', 'three applications, three seeds, every rule and the learner'],
      ['trimtab compare ./my-task.js --episodes 50 --report mine.html', 'a task of your own'],
    ],
    exits: `${TASK_HELP}\nExit: 0 done, 1 the learner earns less than the rule it would replace, 2 the call is bad.`,
    async run({ apps, report, json, controllers, ...values }, host, operands) {
      const { task, reference } = await taskOf(operands)
      if (report !== undefined && !(await host.canWrite(report)))
        throw new UsageError(`--report ${report} cannot be written: name another file`)
      const progress = createProgress(host, 'runs')
      try {
        const found = await run(
          task,
          { ...values, pairs: apps, reference, ...(controllers && { controllers }) },
          { onProgress: progress.update, signal: host.signal },
        )
        progress.finish()
        if (report !== undefined) await host.writeFile(report, renderComparison(found))
        const paint = createPaint(host.stdout, host.env)
        host.stdout.write(json ? `${JSON.stringify(found)}\n` : formatComparison(found, paint))
        return contestOf(found)?.isWorse ? EXIT.badAnswer : EXIT.done
      } finally {
        progress.finish()
      }
    },
  })

/** The learner that would replace the first rule, and that rule. */
function contestOf({ controllers: [rule, ...others] }: Comparison) {
  const ours = others.find(({ name }) => name === 'trimtab')
  return rule?.kind === 'rule' && ours ? { rule, ours, isWorse: ours.reward.mean < rule.reward.mean } : undefined
}

/** Whether it should, and whether a rule earns more than both. */
function verdictOf(comparison: Comparison, paint: Paint): string[] {
  const contest = contestOf(comparison)
  if (!contest) return []
  const { rule, ours, isWorse } = contest
  const { episodes } = comparison.settings
  const rules = comparison.controllers.filter(({ kind }) => kind === 'rule')
  const best = rules.reduce((a, b) => (b.reward.mean > a.reward.mean ? b : a))
  const beyond = best === rule || best.reward.mean <= ours.reward.mean ? '' : `; ${best.label} earns more than either`
  const text = `${ours.label} earns ${isWorse ? 'less' : 'no less'} than ${rule.label} after ${episodes} learning episodes${beyond}`
  return ['', isWorse ? `${paint.bad('✗')} ${text}` : `${paint.good('✓')} ${text}`]
}

/** One row a controller, mean ± spread over seeds, then the findings. */
function formatComparison(comparison: Comparison, paint: Paint): string {
  const { settings, controllers, findings } = comparison
  const { labels, pairs, seeds, episodes, world } = settings
  const right = (title: string) => ({ title, align: 'right' as const })
  const columns = [
    { title: 'controller', align: 'left' as const },
    ...['reward', 'violations %', 'while learning %', 'worst run'].map(right),
  ]
  const heading = `${labels.task} · ${pairs.length} × ${labels.spec} · seeds: ${seeds.length} · ${episodes} learning episodes · ${labels.reward} · ${world}`
  return [
    paint.dim(heading),
    '',
    formatTable(columns, controllers.map(toRow), paint),
    ...(findings.length > 0 ? ['', ...findings.map((text) => `• ${text}`)] : []),
    ...verdictOf(comparison, paint),
    '',
  ].join('\n')
}

const cell = (spread: Spread | undefined): string =>
  spread ? `${fixed(spread.mean, 2)} ± ${fixed(spread.deviation, 2)}` : '–'

const toRow = ({ label, reward, violationPercent, learningViolationPercent, worst }: ComparedController) => [
  label,
  ...[reward, violationPercent, learningViolationPercent].map(cell),
  worst ? fixed(worst.gain, 2) : '–',
]

export const compare: Command = createCompare((task, request, hooks) =>
  import('../workers.js').then((workers) => workers.runComparison(task, request, hooks)),
)
