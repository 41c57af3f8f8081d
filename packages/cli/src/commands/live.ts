import { basename, resolve } from 'node:path'
import { LIVE_ARMS, type LiveService, SETTLING_PERIODS } from '@trimtab/local/live'
import { parseLoad } from '@trimtab/tasks/autoscaling'
import { type Command, defineCommand, EXIT } from '../command.js'
import type { Host } from '../host.js'
import { stateOption } from '../limits/state.js'
import { formatLive, renderLiveMarkdown } from '../live/format.js'
import { renderLivePage } from '../live/page.js'
import { type LiveReport, runLive } from '../live/run-live.js'
import { listOption, numberOption, switchOption, textOption, UsageError } from '../options.js'
import { readingOf, readingOptions, readText } from '../read-file.js'
import { createPaint } from '../terminal.js'

const options = {
  arms: listOption(`some of ${LIVE_ARMS.join(',')}, each beside the first of them; all by default`, LIVE_ARMS),
  blocks: numberOption('blocks of each arm (default 4)', undefined, { min: 1, max: 10_000 }),
  hours: numberOption('as many blocks as fit into so long, in place of --blocks', undefined, {
    ...{ min: 0.01, max: 240, fraction: true },
  }),
  'block-seconds': numberOption('length of a block', 45, { min: 1, max: 3600, fraction: true }),
  'warm-up-seconds': numberOption('before the first block, with pods to spare: the SLO comes from it', 26, {
    ...{ min: 1, max: 600, fraction: true },
  }),
  period: numberOption('seconds between two decisions', 2, { min: 0.2, max: 60, fraction: true }),
  'slo-factor': numberOption('SLO as a multiple of the p99 with pods to spare', 1.8, {
    ...{ min: 1.01, max: 100, fraction: true },
  }),
  rate: numberOption('requests a second at the peak; of our own server each takes 2 ms of CPU time', 220, {
    ...{ min: 1, max: 5000 },
  }),
  program: textOption(
    'FILE',
    'a server of yours for Node in place of our own: it listens on the port that PORT says, on loopback',
    undefined,
  ),
  url: textOption('PATH', 'what is asked of --program (default /)', undefined),
  load: textOption(
    'FILE',
    'CSV of index,requests per minute: the shape, a minute a second (default: a wave)',
    undefined,
  ),
  seed: numberOption('same seed, same requests', 1, { min: 0, max: 1_000_000_000 }),
  report: textOption('FILE', 'where a report goes: .md is Markdown, else HTML', undefined),
  record: textOption('FILE', 'where all numbers go as JSON, every period among them', undefined),
  state: stateOption,
  ...readingOptions,
  json: switchOption('print all numbers as JSON instead of the table'),
}

export const live: Command = defineCommand({
  name: 'live',
  summary: 'Scale real processes of this machine under real load: HPA, the resize rule and Trimtab, in turns',
  options,
  examples: [
    [
      'trimtab live',
      'ten minutes: pods under CPU limits (control groups as root, else signals), p99 and cores of each arm',
    ],
    ['trimtab live --hours 2 --report live.html --record live.json', 'long enough for small differences'],
    ['trimtab live --load requests.csv --arms resize,trimtab', 'the shape of your own load'],
    [
      'trimtab live --program server.mjs --url /search?q=a --rate 60',
      'your own server behind the balancer, in pods of .125 to .45 cores and 96 to 256 MiB',
    ],
  ],
  exits:
    'Ctrl-C ends all that was started; so does SIGKILL, and the next run removes what control groups that left.\nExit: 0 done, 1 no verdict (a busy machine, a gate of the machinery does not hold), 2 the call is bad.',
  async run({ json, report: reportPath, record: recordPath, state, ...values }, host) {
    const service = await serviceOf(values, host)
    const settings = { ...settingsOf(values), ...(service && { service }) }
    for (const [name, path] of Object.entries({ report: reportPath, record: recordPath }))
      if (path !== undefined && !(await host.canWrite(path)))
        throw new UsageError(`--${name} ${path} cannot be written: name another file`)
    const { load } = values
    const series =
      load === undefined
        ? undefined
        : parseLoad(basename(load), await readText(load, readingOf(host, values), `--load ${load}`))
    const report = await runLive(settings, { series, stateFolder: state }, host)
    host.stdout.write(json ? `${JSON.stringify(report)}\n` : formatLive(report, createPaint(host.stdout, host.env)))
    if (recordPath !== undefined) await host.writeFile(recordPath, `${JSON.stringify(report)}\n`)
    if (reportPath !== undefined) await writeReport(reportPath, report, host)
    return report.verdict.doubts.length > 0 ? EXIT.badAnswer : EXIT.done
  },
})

const writeReport = (path: string, report: LiveReport, host: Host): Promise<void> =>
  host.writeFile(path, path.endsWith('.md') ? renderLiveMarkdown(report) : renderLivePage(report))

/** @throws {UsageError} a path without a server, or none; no such file */
async function serviceOf(
  { program, url }: { readonly program: string | undefined; readonly url: string | undefined },
  host: Host,
): Promise<LiveService | undefined> {
  if (program === undefined) {
    if (url !== undefined) throw new UsageError('--url says what is asked of a server: name it by --program')
    return undefined
  }
  const path = url ?? '/'
  if (!path.startsWith('/'))
    throw new UsageError(`--url ${path} must be a path that begins with /: pods have ports of their own`)
  await host.sizeOf(program).catch(() => {
    throw new UsageError(`--program ${program} cannot be read: name a file for Node`)
  })
  return { program: resolve(program), path }
}

type LengthValues = {
  readonly arms: LiveReport['settings']['arms']
  readonly blocks: number | undefined
  readonly hours: number | undefined
  readonly 'block-seconds': number
  readonly 'warm-up-seconds': number
  readonly period: number
  readonly 'slo-factor': number
  readonly rate: number
  readonly seed: number
}

/** @throws {UsageError} blocks that are too short, or both lengths */
function settingsOf({ arms, blocks, hours, period, seed, rate, ...values }: LengthValues): LiveReport['settings'] {
  const [blockSeconds, warmUpSeconds] = [values['block-seconds'], values['warm-up-seconds']]
  if (blocks !== undefined && hours !== undefined) throw new UsageError('say how long: --blocks or --hours, not both')
  for (const [name, seconds] of Object.entries({ 'block-seconds': blockSeconds, 'warm-up-seconds': warmUpSeconds }))
    if (Math.floor(seconds / period) <= SETTLING_PERIODS)
      throw new UsageError(
        `--${name} must be more than ${SETTLING_PERIODS} periods of ${period} s, of which nothing is judged, got ${seconds}`,
      )
  const fitting = hours === undefined ? (blocks ?? 4) : Math.floor((hours * 3600) / (arms.length * blockSeconds))
  return {
    ...{ arms, seed, periodSeconds: period, peakPerSecond: rate, sloFactor: values['slo-factor'] },
    blocks: Math.max(1, fitting),
    blockPeriods: Math.floor(blockSeconds / period),
    warmUpPeriods: Math.floor(warmUpSeconds / period),
  }
}
