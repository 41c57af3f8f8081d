import { type Command, defineCommand, EXIT } from '../../command.js'
import { switchOption, textOption, UsageError } from '../../options.js'
import { evaluateFile } from '../../prediction/evaluate.js'
import { readExamples } from '../../prediction/examples.js'
import { formatLengthEvaluation } from '../../prediction/format.js'
import { openPredictor } from '../../prediction/open.js'
import { renderLengthReport } from '../../prediction/report.js'
import { readingOf, readingOptions } from '../../read-file.js'
import { SAMPLES } from '../../samples.js'
import { createPaint } from '../../terminal.js'
import { FILES, readWhere, seedOption, whereOption } from './options.js'

const options = {
  model: textOption('MODEL', 'a file of `trimtab predict-length train` (default: the shipped weights)', undefined),
  learn: textOption('FILE', 'finish these requests one by one, learn from each, and judge on the way', undefined),
  where: whereOption,
  seed: seedOption,
  report: textOption('FILE', 'write an HTML page as well', undefined),
  ...readingOptions,
  json: switchOption('print all numbers as JSON'),
}

export const evaluate: Command = defineCommand({
  name: 'predict-length eval',
  summary: 'How good predictions of answers’ lengths are, source by source',
  operands: 'FILE',
  options,
  sample: [SAMPLES.requests],
  examples: [
    ['trimtab predict-length eval valid.jsonl.gz --model lengths.safetensors', 'accuracy, L1, order; each source'],
    [
      'trimtab predict-length eval valid.jsonl.gz --learn train.jsonl.gz --where tier=nc',
      'the shipped weights on traffic they never saw, as they learn it',
    ],
  ],
  exits: `${FILES}
Classes are those of the percentiles 25, 50, 75 and 99 of each model's answers that the predictor has seen.
Order: of two answers of one model, the share put in the right order; ties count half.
Exit: 0 done, 2 the call is bad or a file cannot be used.`,
  async run(values, host, files) {
    const [file, ...others] = files
    if (file === undefined || others.length > 0) throw new UsageError('name one file of finished requests')
    if (values.report !== undefined && !(await host.canWrite(values.report)))
      throw new UsageError(`--report ${values.report} cannot be written: name a file in a folder that is there`)
    const where = readWhere(values.where)
    const reading = readingOf(host, values)
    const rows = await readExamples(file, reading, where)
    const finished = values.learn === undefined ? [] : await readExamples(values.learn, reading, where)
    const opened = await openPredictor(values.model, reading)
    const report = evaluateFile(
      { file, rows, finished, learnFile: values.learn, seed: values.seed, where: values.where },
      opened,
      host,
    )
    host.stdout.write(
      values.json
        ? `${JSON.stringify(report, undefined, 2)}\n`
        : formatLengthEvaluation(report, createPaint(host.stdout, host.env)),
    )
    if (values.report !== undefined) {
      await host.writeFile(values.report, renderLengthReport(report))
      host.stderr.write(`written: ${values.report}\n`)
    }
    return EXIT.done
  },
})
