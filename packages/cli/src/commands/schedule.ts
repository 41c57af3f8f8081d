import { type Command, defineCommand, EXIT } from '../command.js'
import { listOption, numberOption, type Option, suggestion, switchOption, textOption, UsageError } from '../options.js'
import { openPredictor } from '../prediction/open.js'
import { type Reading, readingOf, readingOptions } from '../read-file.js'
import { SAMPLES } from '../samples.js'
import { chooseEstimator } from '../scheduling/choose-estimator.js'
import { formatSchedule } from '../scheduling/format.js'
import { isEstimating } from '../scheduling/policies.js'
import { readLogFile, readPattern } from '../scheduling/read-files.js'
import { renderScheduleReport } from '../scheduling/report.js'
import { BATCHINGS, POLICY_NAMES } from '../scheduling/report-types.js'
import type { RequestLog } from '../scheduling/requests.js'
import { compareSchedules } from '../scheduling/work.js'
import { type ArrivalPattern, patternOf } from '../scheduling/workload.js'
import { createPaint } from '../terminal.js'

const options = {
  requests: textOption('FILE', 'log of requests, gzip or not (forms below)', undefined),
  policy: listOption(
    'who is served next: fcfs; class (shortest class, the papers’ index); ssjf (shortest expected, ageing); ssjf-unaged; oracle (true lengths)',
    POLICY_NAMES,
  ),
  batching: {
    ...listOption('none, dynamic (a batch ends with its longest), continuous (a slot is refilled at once)', BATCHINGS),
    fallback: ['none'] as const,
  },
  rho: loadsOption('load: arrivals beside what first come, first served can do (default 0.9)', [0.9]),
  arrivals: textOption(
    'WHEN',
    'poisson, or a log whose arrival times are rescaled (default: the log’s own, else poisson)',
    undefined,
  ),
  count: numberOption('requests of a run', 4000, { min: 10, max: 5_000_000 }),
  seeds: numberOption('runs, with other requests or another part of the log each; gives the spread', 5, {
    min: 1,
    max: 1000,
  }),
  seed: numberOption('same seed, same numbers', 1, { min: 0, max: Number.MAX_SAFE_INTEGER - 1_000_000 }),
  served: textOption('NAME', 'only requests to this model (default: all of them in one queue)', undefined),
  model: textOption('FILE', 'predictor that predict-length train wrote (default: the one that is shipped)', undefined),
  online: switchOption('the predictor learns from each request that is done'),
  'errors-of': textOption(
    'FILE',
    'a log without prompts: estimates err as the predictor does on this log, which has prompts',
    undefined,
  ),
  bypass: numberOption('ageing of ssjf: later work may overtake a request by so many times the largest backlog', 3, {
    min: 0,
    max: 1e6,
    fraction: true,
  }),
  servers: numberOption('servers behind the queue', 1, { min: 1, max: 1024 }),
  'batch-size': numberOption('requests of a batch at most', 4, { min: 1, max: 1024 }),
  'batch-wait': numberOption('dynamic: seconds for which the oldest request waits for others', 1, {
    min: 0,
    max: 1e6,
    fraction: true,
  }),
  'seconds-per-token': numberOption('of a server, for each output token', 0.02, {
    min: 1e-9,
    max: 1e6,
    fraction: true,
  }),
  'seconds-per-request': numberOption('of a server, for each request or batch', 0.1, {
    min: 0,
    max: 1e6,
    fraction: true,
  }),
  'slo-scale': numberOption('the SLO: so many times what the request takes alone', 20, {
    min: 1,
    max: 1e9,
    fraction: true,
  }),
  report: textOption('FILE', 'write the HTML report there as well', undefined),
  ...readingOptions,
  json: switchOption('print all numbers as JSON instead of the table'),
}

export const schedule: Command = defineCommand({
  name: 'schedule',
  summary: 'Replay a log of LLM requests under other orders of service: completion times, waits, throughput',
  options,
  sample: ['--requests', SAMPLES.requests, '--count', '1000'],
  examples: [
    ['trimtab schedule --sample', 'on a log that comes with the package, made up'],
    ['trimtab schedule --requests requests.jsonl.gz', 'every policy beside first come, first served, at ρ = 0.9'],
    [
      'trimtab schedule --requests requests.jsonl --model lengths.bin --batching none,dynamic --report waits.html',
      'with a predictor of one’s own, and plots',
    ],
    [
      'trimtab schedule --requests requests.jsonl --arrivals azure-llm-2023-conv.csv.gz',
      'the same requests at the moments of another log, rescaled to the load',
    ],
    [
      'trimtab schedule --requests azure-llm-2023-conv.csv.gz --errors-of requests.jsonl',
      'a log without prompts: estimates as wrong as the predictor was measured to be',
    ],
  ],
  exits: `FILE is JSONL (model, prompt or messages, output_tokens; arrival_s or arrival_ms), Mooncake's JSONL (timestamp, output_length)
or CSV (arrival_s or arrival_ms or TIMESTAMP; output_tokens, generated_tokens or GeneratedTokens). All times are simulated.
When ordering pays: where requests wait for a place. With continuous batching that is a server of few places, or one that gets
more than it can do. Simulated with prefill and measured GPU times, mean completion time: at ρ 0.9 −27 % at 4 places, −9 % at 16,
−1 % at 64, where next to nobody waits; at ρ 1.1 −33 % at 64. Long prompts are work as well: count them (promptTokens of the
scheduler).
Exit: 0 done, 2 the call is bad or the log cannot be used.`,
  async run(values, host) {
    if (values.requests === undefined) throw new UsageError('a log is missing: --requests FILE')
    if (values.report !== undefined && !(await host.canWrite(values.report)))
      throw new UsageError(`--report ${values.report} cannot be written: name a file in a folder that is there`)
    const reading = readingOf(host, values)
    const log = onlyServed(await readLogFile(values.requests, reading), values.served)
    const { pattern, isInLogOrder } = await arrivalsOf(values.arrivals, log, reading)
    const opened = await openPredictor(values.model, reading)
    const choice = { isLearning: values.online, errorsOf: values['errors-of'], seed: values.seed }
    const estimator = values.policy.some(isEstimating) ? await chooseEstimator(opened, log, choice, reading) : null
    const report = await compareSchedules(
      opened.core,
      log,
      estimator,
      {
        policies: values.policy,
        batchings: values.batching,
        loads: values.rho,
        count: values.count,
        seeds: values.seeds,
        seed: values.seed,
        bypass: values.bypass,
        sloScale: values['slo-scale'],
        servers: values.servers,
        maxBatchSize: values['batch-size'],
        batchWaitSeconds: values['batch-wait'],
        secondsPerToken: values['seconds-per-token'],
        secondsPerRequest: values['seconds-per-request'],
        pattern,
        isInLogOrder,
      },
      host,
    )
    host.stdout.write(
      values.json
        ? `${JSON.stringify(report, undefined, 2)}\n`
        : formatSchedule(report, createPaint(host.stdout, host.env)),
    )
    if (values.report !== undefined) {
      await host.writeFile(values.report, renderScheduleReport(report))
      host.stderr.write(`written: ${values.report}\n`)
    }
    return EXIT.done
  },
})

function onlyServed(log: RequestLog, model: string | undefined): RequestLog {
  if (model === undefined) return log
  const requests = log.requests.filter((request) => request.model === model)
  if (requests.length > 0) return { ...log, requests, models: [model] }
  const near = suggestion(model, log.models, '') || `; models there: ${log.models.slice(0, 20).join(', ')}`
  throw new UsageError(`${log.name} has no request to ${JSON.stringify(model)}${near}`)
}

/** Lengths of a log with arrivals stay at their moments; other times than its own come with drawn requests. */
async function arrivalsOf(
  when: string | undefined,
  log: RequestLog,
  reading: Reading,
): Promise<{ readonly pattern: ArrivalPattern | undefined; readonly isInLogOrder: boolean }> {
  if (when === 'poisson') return { pattern: undefined, isInLogOrder: false }
  if (when !== undefined) return { pattern: await readPattern(when, reading), isInLogOrder: false }
  const own = patternOf(log)
  return { pattern: own, isInLogOrder: own !== undefined }
}

/** Numbers above 0, separated by commas. */
function loadsOption(help: string, fallback: readonly number[]): Option<readonly number[]> {
  return {
    value: 'N,N',
    help,
    fallback,
    read(text) {
      const loads = text.split(',').map((part) => (/^\s*(\d+\.?\d*|\.\d+)\s*$/.test(part) ? Number(part) : Number.NaN))
      return loads.every((load) => load > 0 && load <= 100)
        ? { value: [...new Set(loads)].sort((a, b) => a - b) }
        : { must: 'must be numbers above 0 and up to 100, separated by commas' }
    },
  }
}
