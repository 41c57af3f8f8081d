import { ADAPTATION_METHODS, adapt as adaptTo, type EvaluationRecord } from '@trimtab/studies'
import { readModel } from '../adaptation/files.js'
import { partOf, toLine } from '../adaptation/records.js'
import { renderAdaptationReport } from '../adaptation/report.js'
import { type Command, defineCommand, EXIT } from '../command.js'
import { listOption, numberOption, switchOption, textOption, UsageError } from '../options.js'
import { createProgress } from '../progress.js'
import { readingOf, readingOptions } from '../read-file.js'
import { createPaint, formatTable } from '../terminal.js'
import { TASK_HELP, taskOf } from './task.js'

const options = {
  model: textOption('FILE', 'a model of `trimtab pretrain` (default: trimtab-TASK.safetensors)', undefined),
  pairs: numberOption('new applications', 5, { min: 1, max: 1000 }),
  first: numberOption('number of the first; not one of the pool', 1, { min: 0, max: 1_000_000_000 }),
  episodes: numberOption('episodes of each', 10, { min: 1, max: 10_000 }),
  methods: listOption(`some of ${ADAPTATION_METHODS.join(',')}; both by default`, ADAPTATION_METHODS),
  seed: numberOption('same seed, same numbers', 1, { min: 0, max: 1_000_000_000 }),
  log: textOption(
    'FILE',
    'where every evaluation is written down as a line of JSON; until the run is done in FILE.part',
    undefined,
  ),
  report: textOption('FILE', 'also an HTML report: learning curves with their spread', undefined),
  ...readingOptions,
  json: switchOption('print the answer as JSON'),
}

export const adapt: Command = defineCommand({
  name: 'adapt',
  summary: 'Bring a pretrained policy to new applications, beside learning from scratch, in the simulator',
  operands: 'TASK',
  options,
  examples: [
    ['trimtab adapt autoscaling', 'five applications that the pool did not hold'],
    ['trimtab adapt autoscaling --pairs 20 --episodes 40 --report curves.html', 'with learning curves'],
  ],
  exits: `${TASK_HELP}\nExit: 0 done, 1 the pretrained policy is not the better one after the first episode, 2 the call is bad.`,
  async run(values, host, operands) {
    const { task } = await taskOf(operands)
    const model = await readModel(values.model ?? `trimtab-${task.name}.safetensors`, readingOf(host, values))
    if (model.header.task !== task.name)
      throw new UsageError(`the model was pretrained for ${model.header.task}, not for ${task.name}`)
    const { log } = values
    const part = log === undefined ? undefined : partOf(log)
    for (const file of [log, part, values.report]) {
      if (file !== undefined && !(await host.canWrite(file))) throw new UsageError(`${file} cannot be written`)
    }
    const records: EvaluationRecord[] = []
    const total = values.pairs * values.methods.length * (values.episodes + 1)
    const progress = createProgress(host, 'evaluations')
    if (part !== undefined) await host.writeFile(part, '')
    try {
      for await (const record of adaptTo(task, model, values)) {
        records.push(record)
        if (part !== undefined) await host.appendFile(part, toLine(record))
        progress.update({ done: records.length, total, label: `${record.pair} · ${record.method}` })
      }
    } finally {
      progress.finish()
    }
    if (log !== undefined && part !== undefined) {
      await host.writeFile(log, records.map(toLine))
      await host.removeFile(part)
    }
    if (values.report !== undefined) {
      const facts = [
        ['task', task.name],
        ['applications', String(values.pairs)],
        ['episodes', String(values.episodes)],
      ] as const
      await host.writeFile(values.report, renderAdaptationReport('Adaptation', facts, records))
    }
    const after = (method: string, episode: number): number => {
      const own = records.filter((one) => one.method === method && one.episode === episode)
      return own.reduce((sum, { reward }) => sum + reward, 0) / own.length
    }
    const moments = [...new Set([0, 1, Math.min(4, values.episodes), values.episodes])]
    const rows = values.methods.map((method) => [
      method,
      ...moments.map((episode) => after(method, episode).toFixed(3)),
    ])
    const columns = ['reward a step', ...moments.map((episode) => `after ${episode}`)]
    if (values.json) host.stdout.write(`${JSON.stringify({ task: task.name, columns, rows, records })}\n`)
    else {
      const shown = columns.map((title, i) => ({ title, align: i === 0 ? ('left' as const) : ('right' as const) }))
      host.stdout.write(`${formatTable(shown, rows, createPaint(host.stdout, host.env))}\n`)
    }
    const isCompared = values.methods.length === ADAPTATION_METHODS.length
    return isCompared && !(after('pretrained', 1) > after('scratch', 1)) ? EXIT.badAnswer : EXIT.done
  },
})
