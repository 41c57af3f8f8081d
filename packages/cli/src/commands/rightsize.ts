import { basename } from 'node:path'
import {
  type ColumnNames,
  type MeasuredWorkload,
  type RuntimeTable,
  readRuntimeTable,
  type Sample,
  samplesFor,
  samplesOf,
  withWorkloads,
} from '@trimtab/tasks/rightsizing'
import { type Command, defineCommand, EXIT } from '../command.js'
import type { Host } from '../host.js'
import {
  choiceOption,
  numberOption,
  type Option,
  suggestion,
  switchOption,
  textOption,
  UsageError,
} from '../options.js'
import { type Reading, readingOf, readingOptions, readText } from '../read-file.js'
import { formatAdvice, formatEvaluation } from '../rightsizing/format.js'
import { PREDICTORS } from '../rightsizing/predictors.js'
import { renderRightsizeReport } from '../rightsizing/report.js'
import type { AdviceReport, EvaluationReport } from '../rightsizing/report-types.js'
import { advise, evaluateTable } from '../rightsizing/work.js'
import { createPaint } from '../terminal.js'

const options = {
  workload: textOption(
    'NAME',
    'advise on this workload: what the table has of it is measured, the rest is predicted',
    undefined,
  ),
  measured: textOption('FILE', 'advise on a new workload: its measurements, in the columns of the table', undefined),
  'max-seconds': numberOption('advice: the longest runtime that will do (default: any)', undefined, {
    min: 1e-6,
    max: 1e9,
    fraction: true,
  }),
  confidence: numberOption('advice: percent of true runtimes that intervals should hold', 90, {
    min: 1,
    max: 99.9,
    fraction: true,
  }),
  top: numberOption('advice: rows of the table on the terminal', 12, { min: 1, max: 100_000 }),
  predictor: {
    ...choiceOption(
      `who predicts: ${Object.keys(PREDICTORS).join(', ')}; best: the statistical one that does best on the table itself`,
      Object.keys(PREDICTORS),
      'best',
    ),
    value: 'NAME',
  },
  labels: labelsOption('evaluation: how many configurations of a workload are measured', [1, 2, 3, 9]),
  folds: numberOption('evaluation: parts of the workloads, each held out once', 5, { min: 2, max: 1000 }),
  repeats: numberOption('evaluation: with other folds and choices each; gives the spread', 3, { min: 1, max: 100 }),
  draws: numberOption('evaluation: choices of the measured configurations a workload', 8, { min: 1, max: 1000 }),
  seed: numberOption('same seed, same numbers', 1, { min: 0, max: Number.MAX_SAFE_INTEGER - 1_000_000 }),
  'workload-column': textOption('NAME', 'what ran (default: workload, function, app, …)', undefined),
  'runtime-column': textOption('NAME', 'how long, with its unit: runtime_s, duration_ms (default: found)', undefined),
  'cost-column': textOption(
    'NAME',
    'USD a run (default: cost_usd, target_cost, …; functions: memory as AWS bills it)',
    undefined,
  ),
  'configuration-columns': textOption(
    'A,B',
    'what a configuration is (default: memory_mb of functions, else all that is left)',
    undefined,
  ),
  report: textOption('FILE', 'write the HTML report there as well', undefined),
  ...readingOptions,
  json: switchOption('print all numbers as JSON instead of the table'),
}

export const rightsize: Command = defineCommand({
  name: 'rightsize',
  summary: 'Predict runtimes on configurations that were not tried, and name the cheapest that is fast enough',
  operands: 'FILE',
  options,
  examples: [
    ['trimtab rightsize runs.csv', 'how far predictions for unseen workloads are off, by what was measured of them'],
    [
      'trimtab rightsize runs.csv --measured mine.csv --max-seconds 60',
      'three runs of a new workload: where to run it',
    ],
    ['trimtab rightsize functions.csv --workload resize --max-seconds 0.5', 'memory for one function of the table'],
    [
      'trimtab rightsize runs.csv --predictor embedding --labels 9 --report errors.html',
      'FLASH’s network beside the others',
    ],
  ],
  exits:
    'FILE is a CSV of runs: function,memory_mb,duration_ms or workload,…,runtime_s[,cost_usd][,status]; failed runs are left out, repeats averaged.\nExit: 0 done, 1 nothing is fast enough, 2 the call is bad or the table cannot be used.',
  async run(values, host, files) {
    const [file, ...rest] = files
    if (file === undefined || rest.length > 0)
      throw new UsageError(`one table is read, got ${files.length}: trimtab rightsize FILE`)
    if (values['max-seconds'] !== undefined && values.workload === undefined && values.measured === undefined)
      throw new UsageError('--max-seconds needs a workload to advise on: --workload NAME or --measured FILE')
    if (values.report !== undefined && !(await host.canWrite(values.report)))
      throw new UsageError(`--report ${values.report} cannot be written: name a file in a folder that is there`)
    const columns = columnsOf(values)
    const reading = readingOf(host, values)
    const table = readRuntimeTable(basename(file), await readText(file, reading), { columns })
    const { seed, predictor } = values
    const subject = await subjectOf(table, values, columns, reading)
    if (subject) {
      const confidence = values.confidence / 100
      const maxSeconds = values['max-seconds'] ?? Number.POSITIVE_INFINITY
      const report = await advise({ ...subject, predictor }, { maxSeconds, confidence, seed })
      await show(report, (paint) => formatAdvice(report, values.top, paint), values, host)
      return report.best ? EXIT.done : EXIT.badAnswer
    }
    const { labels, folds, repeats, draws } = values
    const report = await evaluateTable(table, predictor, { labels, folds, repeats, draws, seed }, host)
    await show(report, (paint) => formatEvaluation(report, paint), values, host)
    return EXIT.done
  },
})

async function show(
  report: EvaluationReport | AdviceReport,
  format: (paint: ReturnType<typeof createPaint>) => string,
  { json, report: path }: { readonly json: boolean; readonly report: string | undefined },
  host: Host,
): Promise<void> {
  host.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : format(createPaint(host.stdout, host.env)))
  if (path === undefined) return
  await host.writeFile(path, renderRightsizeReport(report))
  host.stderr.write(`written: ${path}\n`)
}

interface Subject {
  /** The workloads to learn from. */
  readonly pool: RuntimeTable
  readonly workload: string
  readonly samples: readonly Sample[]
}

/** Whom to advise on, or undefined when the table itself is in question. */
async function subjectOf(
  table: RuntimeTable,
  { workload: name, measured: file }: { readonly workload: string | undefined; readonly measured: string | undefined },
  columns: ColumnNames,
  reading: Reading,
): Promise<Subject | undefined> {
  if (file !== undefined) {
    const asked = { ...columns, configuration: table.dimensions }
    const measured = readRuntimeTable(basename(file), await readText(file, reading), { columns: asked })
    if (name === undefined && measured.workloads.length > 1)
      throw new UsageError(`${file} has ${measured.workloads.length} workloads: name one with --workload`)
    const workload = name === undefined ? measured.workloads[0]! : findWorkload(measured, name)
    const others = table.workloads.filter((one) => one.name !== workload.name)
    return {
      pool: withWorkloads(table, others),
      workload: workload.name,
      samples: samplesFor(table, measured, workload),
    }
  }
  if (name === undefined) return undefined
  const workload = findWorkload(table, name)
  const others = table.workloads.filter(({ group }) => group !== workload.group)
  return { pool: withWorkloads(table, others), workload: name, samples: samplesOf(table, workload) }
}

function findWorkload(table: RuntimeTable, name: string): MeasuredWorkload {
  const found = table.workloads.find((one) => one.name === name)
  if (found) return found
  const names = table.workloads.map((one) => one.name)
  const near = suggestion(name, names, '') || `; workloads there: ${names.slice(0, 10).join(', ')}`
  throw new UsageError(`${table.name} has no workload ${JSON.stringify(name)}${near}`)
}

type ColumnValues = {
  readonly [name in 'workload-column' | 'runtime-column' | 'cost-column' | 'configuration-columns']: string | undefined
}

function columnsOf(values: ColumnValues): ColumnNames {
  const configuration = values['configuration-columns']?.split(',').map((name) => name.trim())
  return {
    ...(values['workload-column'] !== undefined && { workload: values['workload-column'] }),
    ...(values['runtime-column'] !== undefined && { runtime: values['runtime-column'] }),
    ...(values['cost-column'] !== undefined && { cost: values['cost-column'] }),
    ...(configuration && { configuration }),
  }
}

/** Whole numbers above 0, separated by commas. */
function labelsOption(help: string, fallback: readonly number[]): Option<readonly number[]> {
  return {
    value: 'N,N',
    help: `${help} (default ${fallback.join(',')})`,
    fallback,
    read(text) {
      const counts = text.split(',').map((part) => (/^\s*[1-9]\d{0,4}\s*$/.test(part) ? Number(part) : 0))
      return counts.every((count) => count > 0)
        ? { value: [...new Set(counts)].sort((a, b) => a - b) }
        : { must: 'must be whole numbers above 0, separated by commas' }
    },
  }
}
