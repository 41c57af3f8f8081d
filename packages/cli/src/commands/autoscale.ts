import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import { AUTOSCALERS, type AutoscalingReport } from '@trimtab/studies'
import { DEFAULT_PRICES, RESIZE_MODES } from '@trimtab/tasks/autoscaling'
import { formatReport } from '../autoscale/summary.js'
import { type Command, defineCommand, EXIT } from '../command.js'
import type { Host } from '../host.js'
import { choiceOption, listOption, numberOption, switchOption, textOption, UsageError } from '../options.js'
import { createProgress } from '../progress.js'
import { type Reading, readingOf, readingOptions, readText } from '../read-file.js'
import { renderReport } from '../report/index.js'
import { SAMPLES } from '../samples.js'
import { createPaint } from '../terminal.js'
import type { runAutoscaling } from '../workers.js'

const NAMES = AUTOSCALERS.map(({ name }) => name)

const options = {
  load: textOption('FILE', 'CSV of index,requests per minute: the shape of the load (default: generated)', undefined),
  'slo-factor': numberOption('SLO as a multiple of the p99 at ample resources; 1.15 strict, 1.5 tight', 2, {
    min: 1.01,
    max: 100,
    fraction: true,
  }),
  controllers: listOption(`some of ${NAMES.join(',')}; all by default`, NAMES),
  apps: numberOption('generated applications', 3, { min: 1, max: 100 }),
  seeds: numberOption('runs of every controller on every application', 3, { min: 1, max: 50 }),
  seed: numberOption('the first seed: same seed, same numbers', 1, { min: 0, max: Number.MAX_SAFE_INTEGER - 1000 }),
  days: numberOption('days of load at most: 70 % to tune and learn, the rest judged', 14, { min: 1, max: 14 }),
  resize: choiceOption('how pods change their size', RESIZE_MODES, 'in-place'),
  'price-core': numberOption('US dollars an hour for a core', DEFAULT_PRICES.perCore, {
    min: 0,
    max: 1000,
    fraction: true,
  }),
  'price-gib': numberOption('US dollars an hour for a GiB', DEFAULT_PRICES.perGiB, {
    min: 0,
    max: 1000,
    fraction: true,
  }),
  budget: numberOption('percent of steps that may break the SLO', 0.5, { min: 0.01, max: 20, fraction: true }),
  workers: numberOption('worker threads', availableParallelism(), { min: 1, max: 256 }),
  report: textOption('FILE', 'where the HTML report goes', 'trimtab-report.html'),
  'no-report': switchOption('write no HTML report'),
  ...readingOptions,
  json: switchOption('print all numbers as JSON instead of the table'),
}

/** @param run  does the work; tests hand in their own */
export const createAutoscale = (run: typeof runAutoscaling): Command =>
  defineCommand({
    name: 'autoscale',
    summary: 'Compare autoscalers by dollars under an SLO: tuned rules and a learner with a guarantee, in a simulator',
    options,
    sample: ['--load', SAMPLES.load],
    examples: [
      ['trimtab autoscale', 'generated loads, every controller, a table and trimtab-report.html'],
      ['trimtab autoscale --load requests.csv --apps 3 --report mine.html', 'the shape of your own load'],
      ['trimtab autoscale --resize restart --slo-factor 1.5', 'pods restart to change their size, a tight SLO'],
      ['trimtab autoscale --controllers hpa-vpa,resize,trimtab --days 3 --seeds 1', 'a quick look'],
      ['trimtab autoscale --json --no-report > numbers.json', 'for programs'],
    ],
    exits:
      "DDPG agents under the papers' reward are in trimtab compare autoscaling.\nExit: 0 done, 1 Trimtab should not replace the strongest rule on this load, 2 the call is bad.",
    async run(values, host) {
      const path = values['no-report'] ? undefined : values.report
      if (path !== undefined && !(await host.canWrite(path)))
        throw new UsageError(
          `the report cannot be written to ${path}: name another file with --report, or use --no-report`,
        )
      const load = values.load === undefined ? undefined : await readLoad(values.load, readingOf(host, values))
      const progress = createProgress(host, 'parts')
      try {
        const { apps, seeds, seed, days, resize, workers, controllers } = values
        const request = {
          ...{ apps, seeds, seed, days, resize, workers, controllers, sloFactor: values['slo-factor'] },
          prices: { perCore: values['price-core'], perGiB: values['price-gib'] },
          budgetPercent: values.budget,
        }
        const report = await run(
          { ...request, ...(load && { load }) },
          { onProgress: progress.update, signal: host.signal },
        )
        progress.finish()
        await show(report, { json: values.json, path }, host)
        return report.verdict?.isFor === false ? EXIT.badAnswer : EXIT.done
      } finally {
        progress.finish()
      }
    },
  })

const readLoad = async (path: string, reading: Reading): Promise<{ readonly name: string; readonly text: string }> => ({
  name: basename(path),
  text: await readText(path, reading, `--load ${path}`),
})

async function show(
  report: AutoscalingReport,
  { json, path }: { readonly json: boolean; readonly path: string | undefined },
  host: Host,
): Promise<void> {
  const paint = createPaint(host.stdout, host.env)
  host.stdout.write(json ? `${JSON.stringify(report)}\n` : `${formatReport(report, paint)}`)
  if (path !== undefined) {
    await host.writeFile(path, renderReport(report))
    const where = `report: ${path}\n`
    if (json) host.stderr.write(where)
    else host.stdout.write(`\n${where}`)
  }
  const { verdict } = report
  if (verdict && !verdict.isFor)
    host.stderr.write(`${createPaint(host.stderr, host.env).bad('trimtab:')} ${verdict.text}\n`)
}

export const autoscale: Command = createAutoscale((request, hooks) =>
  import('../workers.js').then((workers) => workers.runAutoscaling(request, hooks)),
)
