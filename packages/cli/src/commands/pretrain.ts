import { availableParallelism } from 'node:os'
import { metaPresets, type PretrainedModel } from '@trimtab/learn'
import type { AdaptationRecord, PoolSetup } from '@trimtab/studies'
import { parseRecords, partOf, toLine } from '../adaptation/records.js'
import { renderAdaptationReport } from '../adaptation/report.js'
import { type Command, defineCommand, EXIT } from '../command.js'
import type { Host } from '../host.js'
import { choiceOption, numberOption, switchOption, textOption, UsageError } from '../options.js'
import { createProgress } from '../progress.js'
import { ownReading, readAll, readText } from '../read-file.js'
import type { runPretraining } from '../workers.js'
import { TASK_HELP, taskOf } from './task.js'

const PRESETS = ['set', 'aware', 'flash'] as const

const options = {
  pool: numberOption('⟨application, environment⟩ pairs to learn from', 60, { min: 8, max: 1000 }),
  first: numberOption('number of the first pair; those below are left to judge on', 200, {
    min: 0,
    max: 1_000_000_000,
  }),
  rounds: numberOption('rounds: an episode of every pair each', 40, { min: 1, max: 100_000 }),
  encoder: choiceOption('of the embedding: set is fast, aware and flash as in the papers', PRESETS, 'set'),
  seed: numberOption('same seed, same model, on any number of workers', 1, { min: 0, max: 1_000_000_000 }),
  workers: numberOption('worker threads', availableParallelism(), { min: 1, max: 256 }),
  out: textOption('FILE', 'where the model goes (default: trimtab-TASK.safetensors)', undefined),
  log: textOption(
    'FILE',
    'where each round is written down as a line of JSON (default: OUT.jsonl); until the run is done in FILE.part',
    undefined,
  ),
  report: textOption('FILE', 'also an HTML report: reward over the rounds, map of the embeddings', undefined),
  fresh: switchOption('start anew even where a run was interrupted'),
  json: switchOption('print the answer as JSON'),
}

const WORTH =
  'What it is worth: trimtab adapt TASK, beside learning from scratch. Of the autoscaling tasks the pool pays, the embedding only where something\n' +
  'is hidden (autoscaling-hidden-weight); they are under the papers’ reward: in dollars trimtab autoscale has a learner that needs no pretraining.'

/** @param run  does the work; tests hand in their own */
export const createPretrain = (run: typeof runPretraining): Command =>
  defineCommand({
    name: 'pretrain',
    summary: 'Teach one policy and its embedding on many applications, so that a new one adapts fast',
    operands: 'TASK',
    options,
    examples: [
      ['trimtab pretrain autoscaling', '60 simulated applications; goes on where an interrupted run stopped'],
      ['trimtab pretrain autoscaling --pool 200 --rounds 35 --report pool.html', 'the size of the papers'],
      ['trimtab pretrain congestion-control', 'networks 200 to 259 of the 625 there are'],
    ],
    exits: `${TASK_HELP}\n${WORTH}\nExit: 0 done, 2 the call is bad, ended by a signal: call again to go on.`,
    async run(values, host, operands) {
      const { task, reference, operand } = await taskOf(operands)
      const out = values.out ?? `trimtab-${task.name}.safetensors`
      const log = values.log ?? `${out}.jsonl`
      const checkpointFile = `${out}.checkpoint`
      const part = partOf(log)
      for (const file of [out, log, part, checkpointFile, ...(values.report === undefined ? [] : [values.report])]) {
        if (!(await host.canWrite(file))) throw new UsageError(`${file} cannot be written: name another file`)
      }
      const setup: PoolSetup = {
        ...{ task: reference, first: values.first, pairs: values.pool, rounds: values.rounds, seed: values.seed },
        meta: metaPresets[values.encoder],
      }
      const checkpoint = values.fresh
        ? undefined
        : await readAll(checkpointFile, ownReading(host)).catch(() => undefined)
      const records: AdaptationRecord[] = checkpoint ? await earlierRounds(part, host) : []
      await host.writeFile(part, records.map(toLine).join(''))
      if (checkpoint) host.stderr.write(`going on from ${checkpointFile}\n`)
      const progress = createProgress(host, 'rounds')
      try {
        const model = await run(task, setup, {
          workers: values.workers,
          checkpoint,
          async onRound(report, round) {
            const record: AdaptationRecord = { event: 'round', round, ...report }
            if (records.length >= round) {
              records.length = round - 1 // rounds behind the checkpoint are done once more
              await host.writeFile(part, records.map(toLine).join(''))
            }
            records.push(record)
            await host.appendFile(part, toLine(record))
            progress.update({ done: round, total: values.rounds, label: `${report.reward.toFixed(3)} a step` })
          },
          onCheckpoint: (bytes) => host.writeFile(checkpointFile, bytes),
        })
        progress.finish()
        await show(model, records, { ...values, operand, out, log }, host)
        for (const file of [checkpointFile, part]) await host.removeFile(file)
        return EXIT.done
      } finally {
        progress.finish()
      }
    },
  })

/** Rounds of an interrupted run, for the plot; a log that is gone or damaged costs only them, a line cut short by a kill only itself. */
async function earlierRounds(part: string, host: Host): Promise<AdaptationRecord[]> {
  try {
    const text = await readText(part, ownReading(host))
    return parseRecords(text.slice(0, text.lastIndexOf('\n') + 1), part).filter(({ event }) => event === 'round')
  } catch {
    return []
  }
}

async function show(
  model: PretrainedModel,
  rounds: readonly AdaptationRecord[],
  values: {
    readonly operand: string
    readonly out: string
    readonly log: string
    readonly report: string | undefined
    readonly json: boolean
  },
  host: Host,
): Promise<void> {
  const bytes = model.save()
  await host.writeFile(values.out, bytes)
  const embeddings: AdaptationRecord[] = model.pool.map(({ name, z }) => ({
    event: 'embedding',
    pair: name,
    z: [...z],
  }))
  await host.writeFile(values.log, [...rounds, ...embeddings].map(toLine))
  const { task, trainingData } = model.header
  if (values.report !== undefined) {
    const facts = [
      ['task', task],
      ['taught by', trainingData],
      ['model', values.out],
    ] as const
    await host.writeFile(values.report, renderAdaptationReport('Pretraining', facts, [...rounds, ...embeddings]))
  }
  const last = rounds.at(-1)
  const answer = {
    ...{ task, model: values.out, bytes: bytes.length, log: values.log, report: values.report },
    ...{ rounds: rounds.length, pairs: model.pool.length },
    rewardPerStep: last?.event === 'round' ? last.reward : undefined,
  }
  if (values.json) host.stdout.write(`${JSON.stringify(answer)}\n`)
  else
    host.stdout.write(
      `${task}: ${answer.pairs} pairs, ${answer.rounds} rounds, ${answer.rewardPerStep?.toFixed(3)} a step while exploring
model: ${answer.model} (${Math.ceil(answer.bytes / 1024)} KiB)
next: trimtab adapt ${values.operand} --model ${answer.model}\n`,
    )
}

export const pretrain: Command = createPretrain((task, setup, hooks) =>
  import('../workers.js').then((workers) => workers.runPretraining(task, setup, hooks)),
)
