import { basename } from 'node:path'
import { createServeCore, LengthPredictor } from '@trimtab/serve'
import { type Command, defineCommand, EXIT } from '../../command.js'
import { numberOption, switchOption, textOption, UsageError } from '../../options.js'
import { bySource, readExamples } from '../../prediction/examples.js'
import { createProgress } from '../../progress.js'
import { readingOf, readingOptions } from '../../read-file.js'
import { SAMPLES } from '../../samples.js'
import { createPaint, formatTable } from '../../terminal.js'
import { FILES, readWhere, seedOption, whereOption } from './options.js'

const options = {
  out: textOption('MODEL', 'write the predictor there (safetensors)', undefined),
  epochs: numberOption('passes over the rows', 4, { min: 1, max: 1000 }),
  rate: numberOption('step size of the first pass; it falls to 0', 0.5, { min: 1e-6, max: 10, fraction: true }),
  bits: numberOption('the table of n-grams has 2^N rows of 8 bytes', 17, { min: 10, max: 20 }),
  compact: switchOption('a small file to ship: 8-bit table; learning goes on, though not from the same state'),
  where: whereOption,
  seed: seedOption,
  ...readingOptions,
  json: switchOption('print what was learnt as JSON'),
}

export const train: Command = defineCommand({
  name: 'predict-length train',
  summary: 'Learn how long answers are from finished requests',
  operands: 'FILE',
  options,
  sample: [SAMPLES.requests],
  examples: [
    ['trimtab predict-length train finished.jsonl.gz --out lengths.safetensors', 'learn from all rows'],
    ['trimtab predict-length train FILE --where tier=permissive --out MODEL', 'only from rows that may be shipped'],
  ],
  exits: `${FILES}\nExit: 0 done, 2 the call is bad or the file cannot be used.`,
  async run(values, host, files) {
    const [file, ...others] = files
    if (file === undefined || others.length > 0) throw new UsageError('name one file of finished requests')
    const { out, epochs, rate, bits, seed, where } = values
    if (out === undefined) throw new UsageError('--out is missing: where to write the predictor')
    if (!(await host.canWrite(out)))
      throw new UsageError(`--out ${out} cannot be written: name a file in a folder that is there`)
    const rows = await readExamples(file, readingOf(host, values), readWhere(where))
    const predictor = new LengthPredictor(await createServeCore(), { bits })
    const progress = createProgress(host, 'passes')
    let loss = Number.NaN
    try {
      predictor.fit(rows, {
        epochs,
        learningRate: rate,
        seed,
        onEpoch(epoch, now) {
          loss = now
          progress.update({ done: epoch + 1, total: epochs, label: `cross-entropy ${now.toFixed(3)}` })
        },
      })
    } finally {
      progress.finish()
    }
    const sources = [...bySource(rows)].map(([name, of]) => ({ name, tier: of[0]!.tier, rows: of.length }))
    const settings = { file: basename(file), where: where ?? '', epochs, rate, bits, seed }
    const provenance = { trainedOn: JSON.stringify(sources), training: JSON.stringify(settings) }
    const bytes = predictor.save(provenance, { isCompact: values.compact })
    await host.writeFile(out, bytes)
    const models = predictor.models.map((name) => ({ name, borders: [...predictor.borders(name)] }))
    if (values.json) {
      const report = {
        format: 'trimtab-length-training',
        version: 1,
        settings,
        rows: rows.length,
        loss,
        sources,
        models,
      }
      host.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
      return EXIT.done
    }
    const paint = createPaint(host.stdout, host.env)
    const sourceRows = sources.map((one) => [one.name, one.tier, `${one.rows}`])
    const modelRows = models.map((one) => [one.name, ...one.borders.map((border) => border.toFixed(0))])
    const right = (title: string) => ({ title, align: 'right' as const })
    const left = (title: string) => ({ title, align: 'left' as const })
    host.stdout.write(
      `${formatTable([left('source'), left('tier'), right('rows')], sourceRows, paint)}\n\n${formatTable([left('model'), ...['p25', 'p50', 'p75', 'p99'].map(right)], modelRows, paint)}\n\n`,
    )
    host.stdout.write(`${rows.length} rows, ${epochs} passes, cross-entropy ${loss.toFixed(3)}\n`)
    host.stderr.write(`written: ${out}, ${Math.round(bytes.length / 1024)} KiB\n`)
    return EXIT.done
  },
})
