import { printable } from '@trimtab/core/text'
import {
  findVisibleGpu,
  type Nvml,
  type NvmlGpu,
  NvmlGpuClock,
  observeOnly,
  observeWhenRefused,
  readLeases,
} from '@trimtab/nvml'
import { FrequencyScaler, type GpuClock } from '@trimtab/serve'
import { type Command, defineCommand, EXIT } from '../../command.js'
import { driveGpu, type RunTick } from '../../gpu/drive.js'
import { percent, remarksOf, whole } from '../../gpu/format.js'
import { fileSource, type LatencySource, lineSource, slowestSource } from '../../gpu/latency-source.js'
import { commonOptions, gpuOption, leaseFoldersOf, withNvml } from '../../gpu/open.js'
import { prometheusSource } from '../../gpu/prometheus.js'
import { renderRunReport } from '../../gpu/report.js'
import { RunRecord, type RunSummary } from '../../gpu/run-record.js'
import { type Host, hostWith } from '../../host.js'
import {
  choiceOption,
  numberOption,
  repeatedOption,
  switchOption,
  textOption,
  UsageError,
  type Values,
} from '../../options.js'
import { createPaint } from '../../terminal.js'

const TAIL_BYTES = 4096

const options = {
  latency: repeatedOption(
    'SOURCE',
    'FILE (its last line), http://… (Prometheus), or - (stdin, a request a line); the slowest of several decides, as of the slices of a MIG GPU',
  ),
  'slo-ms': numberOption('latency that must be kept, ms', undefined, { min: 0.001, max: 1e9, fraction: true }),
  metric: textOption('NAME', "of a server's own /metrics: a gauge, a summary, or a histogram (its p99)", undefined),
  unit: choiceOption('of the latency (default: s from http://…, else ms)', ['ms', 's'] as const, undefined),
  gpu: gpuOption,
  'dry-run': switchOption('set nothing, print what would be set'),
  interval: numberOption('milliseconds between decisions', 1000, { min: 100, max: 3_600_000 }),
  seconds: numberOption('stop after so long (default: at Ctrl-C, or when stdin ends)', undefined, { min: 1, max: 1e9 }),
  'min-mhz': numberOption('never below this clock (default: the lowest there is)', undefined, { min: 1, max: 100_000 }),
  'step-mhz': numberOption('how far down at once (default: a sixteenth of the maximum)', undefined, {
    min: 1,
    max: 10_000,
  }),
  report: textOption('FILE', 'also an HTML report: latency, clock and power over time', undefined),
  ...commonOptions,
  json: switchOption('print a line of JSON a decision, a notice, and the summary'),
}

type RunValues = Values<typeof options>

/** Where results and notices go, for people or for programs. */
interface Voice {
  notice(message: string): void
  tick(tick: RunTick): void
  summary(summary: RunSummary): void
}

/** @param get  asks Prometheus; tests hand in their own */
export const createRun = (get: typeof fetch): Command =>
  defineCommand({
    name: 'gpu run',
    summary: 'Drive the clock by the slack of an SLO (MIAD, Algorithm 6.3); it is given back on every way out',
    options,
    examples: [
      ['trimtab gpu run --slo-ms 2000 --latency latency.txt --dry-run', 'another program writes p99 in ms to the file'],
      ['tail -f latencies.log | trimtab gpu run --slo-ms 2000 --latency -', 'the p99 of the last 10 s of a log'],
      [
        'trimtab gpu run --slo-ms 2000 --latency http://localhost:8000/metrics --metric vllm:e2e_request_latency_seconds',
        'the p99 of what a vLLM server finished since the last decision',
      ],
      [
        "trimtab gpu run --slo-ms 2000 --latency 'http://prometheus:9090/api/v1/query?query=…'",
        'the largest value of a query',
      ],
      [
        'trimtab gpu run --gpu GPU-8f2c… --slo-ms 2000 --latency slice-a.txt --latency slice-b.txt',
        'two slices of a GPU under MIG, which share its clock',
      ],
    ],
    exits: `A latency that is not known, or 10 s old, means the maximum clock. Clocks need root (observe-only without).
Exit: 0 done, 1 no GPU, lost, or not permitted to set its clock, 2 the call is bad.`,
    async run(values, host) {
      const { latency, 'slo-ms': sloMs, report } = values
      if (latency.length === 0 || sloMs === undefined)
        throw new UsageError('--latency SOURCE and --slo-ms N are needed: what is measured, and what must be kept')
      if (latency.filter((one) => one === '-').length > 1)
        throw new UsageError('--latency - is given twice: there is one stdin')
      if (report !== undefined && !(await host.canWrite(report)))
        throw new UsageError(`${report} cannot be written: name another file`)
      const stop = new AbortController() // of stdin, which would keep the process for as long as it is open
      const sources = latency.map((one) => openSource(one, values, hostWith(host, { signal: stop.signal }), get))
      const source = slowestSource(sources)
      try {
        return await withNvml(values.library, host, (nvml) => drive(nvml, { ...values, sloMs }, source, host))
      } finally {
        stop.abort()
      }
    },
  })

async function drive(
  nvml: Nvml,
  values: RunValues & { readonly sloMs: number },
  source: LatencySource,
  host: Host,
): Promise<number> {
  const notices: string[] = []
  const voice = values.json ? jsonVoice(host) : textVoice(host, values['dry-run'])
  const notice = (message: string) => {
    notices.push(message)
    voice.notice(message)
  }
  const gpu = findVisibleGpu(nvml, values.gpu, host.env, notice)
  const { clock, isRefused, dispose } = values['dry-run']
    ? observe(gpu, values, host, notice)
    : claim(gpu, values, host, notice)
  const record = new RunRecord(values.sloMs)
  try {
    const scaler = scalerOf(clock, values)
    const setup = {
      clock,
      scaler,
      source,
      sloMs: values.sloMs,
      intervalMs: values.interval,
      maxSeconds: values.seconds,
    }
    let [problem, wasScaleOutNeeded] = [undefined as string | undefined, false]
    for await (const tick of driveGpu(setup, host)) {
      record.add(tick)
      voice.tick(tick)
      if (tick.problem !== undefined && tick.problem !== problem)
        notice(`latency: ${tick.problem}; the clock goes to the maximum`)
      problem = tick.problem
      if (tick.isScaleOutNeeded && !wasScaleOutNeeded)
        notice('the clock is at its maximum and the SLO is missed: add an instance')
      wasScaleOutNeeded = tick.isScaleOutNeeded
    }
  } finally {
    try {
      dispose()
    } finally {
      if (record.ticks.length > 0) await conclude(gpu, clock, record, notices, values, voice, host)
    }
  }
  return isRefused() ? EXIT.badAnswer : EXIT.done
}

interface Driven {
  readonly clock: GpuClock
  readonly isRefused: () => boolean
  readonly dispose: () => void
}

function observe(gpu: NvmlGpu, { leases }: RunValues, host: Host, notice: (message: string) => void): Driven {
  notice('dry run: nothing is set, so latency and power do not answer to the clock as they would')
  for (const remark of remarksOf(gpu.describe(), readLeases(leaseFoldersOf(leases)))) notice(remark)
  const clock = observeOnly(
    gpu,
    () => host.now() / 1000,
    () => {},
  ) // every wish is in a tick
  return { clock, isRefused: () => false, dispose: () => {} }
}

function claim(gpu: NvmlGpu, { leases }: RunValues, host: Host, notice: (message: string) => void): Driven {
  const locked = NvmlGpuClock.open(gpu, {
    now: () => host.now() / 1000,
    onNotice: ({ message }) => notice(message),
    ...(leases === undefined ? {} : { leaseFolder: leases }),
  })
  const clock = observeWhenRefused(locked, ({ message }) => notice(message))
  return { clock, isRefused: () => clock.isRefused, dispose: () => locked.dispose() }
}

function scalerOf({ supportedClocksMhz }: GpuClock, values: RunValues): FrequencyScaler {
  const maximumMhz = supportedClocksMhz.at(-1)!
  const minimumMhz = values['min-mhz'] ?? supportedClocksMhz[0]!
  if (minimumMhz > maximumMhz)
    throw new UsageError(`--min-mhz ${minimumMhz} is above the highest clock of this GPU, ${maximumMhz} MHz`)
  const step = values['step-mhz']
  return new FrequencyScaler({ minimumMhz, maximumMhz, ...(step === undefined ? {} : { stepMhz: step }) })
}

function openSource(latency: string, { metric, unit }: RunValues, host: Host, get: typeof fetch): LatencySource {
  const isUrl = /^https?:\/\//.test(latency)
  const toMs = (unit ?? (isUrl ? 's' : 'ms')) === 's' ? 1000 : 1
  if (isUrl) return prometheusSource({ url: latency, metric, toMs, fetch: get })
  if (metric !== undefined) throw new UsageError(`--metric belongs to a URL, got ${latency}`)
  if (latency === '-') return lineSource(host.readBytes('-', host.signal), toMs, host.now)
  return fileSource(() => host.readTail(latency, TAIL_BYTES), toMs)
}

async function conclude(
  gpu: NvmlGpu,
  clock: GpuClock,
  record: RunRecord,
  notices: readonly string[],
  values: RunValues & { readonly sloMs: number },
  voice: Voice,
  host: Host,
): Promise<void> {
  const summary = record.summarise()
  voice.summary(summary)
  if (values.report === undefined) return
  const html = renderRunReport({
    ...{ gpu: gpu.subject, isDryRun: values['dry-run'], sloMs: values.sloMs, latencySource: values.latency.join(', ') },
    ...{ maximumMhz: clock.supportedClocksMhz.at(-1)!, summary, notices, ticks: record.ticks },
  })
  await host.writeFile(values.report, html)
}

const jsonVoice = (host: Host): Voice => {
  const print = (event: string, value: object) => host.stdout.write(`${JSON.stringify({ event, ...value })}\n`)
  return {
    notice: (message) => print('notice', { message }),
    tick: (tick) => print('tick', tick),
    summary: (summary) => print('summary', summary),
  }
}

const ARROWS = { up: '↑', down: '↓', same: ' ' } as const

function textVoice(host: Host, isDryRun: boolean): Voice {
  const paint = createPaint(host.stdout, host.env)
  const ask = isDryRun ? 'Would lock' : 'Locked'
  let hasHeading = false
  return {
    notice: (message) => host.stderr.write(`trimtab: ${printable(message)}\n`),
    tick(tick) {
      if (!hasHeading)
        host.stdout.write(
          `${paint.bold(`${'Time'.padStart(8)}  ${'Latency'.padStart(10)}  ${'Slack'.padStart(6)}  ${ask.padStart(10)}    ${'Clock'.padStart(8)}  ${'Power'.padStart(6)}`)}\n`,
        )
      hasHeading = true
      const cells = [
        `${tick.seconds.toFixed(1)} s`.padStart(8),
        whole(tick.latencyMs, ' ms').padStart(10),
        percent(tick.slack).padStart(6),
        `${`${tick.wantedMhz} MHz`.padStart(10)} ${ARROWS[tick.action]}`,
        whole(tick.clockMhz, ' MHz').padStart(8),
        whole(tick.powerWatts, ' W').padStart(6),
      ]
      host.stdout.write(`${cells.join('  ')}\n`)
    },
    summary({ seconds, sloAttainment01, meanClockMhz, lowestWantedMhz, meanPowerWatts, energyJoules }) {
      const kept = `SLO kept in ${percent(sloAttainment01)} of the time`
      const down = isDryRun
        ? `the clock would have gone down to ${lowestWantedMhz} MHz`
        : `mean clock ${whole(meanClockMhz, ' MHz')}, lowest ${lowestWantedMhz} MHz`
      host.stdout.write(
        `${seconds.toFixed(0)} s: ${kept}; ${down}; ${whole(meanPowerWatts, ' W')}, ${whole(energyJoules, ' J')}\n`,
      )
    },
  }
}

export const run: Command = createRun(fetch)
