import { printable } from '@trimtab/core/text'
import { Collector, type CollectorStatistics } from '@trimtab/local/collect'
import { type Command, defineCommand, EXIT } from '../command.js'
import type { Host } from '../host.js'
import { numberOption, switchOption, textOption, UsageError } from '../options.js'

const MIB = 1024 * 1024

const options = {
  to: textOption('DIR', 'where files go; each is whole once it has its name', undefined),
  port: numberOption('where to listen; 0: any that is free', 4318, { min: 0, max: 65_535 }),
  host: textOption('ADDRESS', 'who can reach it; 0.0.0.0: everybody', '127.0.0.1'),
  'max-spans-per-second': numberOption('more gets 429 with Retry-After (default: any number)', undefined, {
    min: 1,
    max: 1e9,
  }),
  'max-batch-mib': numberOption('a larger batch gets 413', 16, { min: 0.001, max: 1024, fraction: true }),
  'queue-mib': numberOption('batches on their way to the disk; more gets 503 with Retry-After', 64, {
    min: 0.001,
    max: 10_000,
    fraction: true,
  }),
  'file-mib': numberOption('a file that holds as much is finished', 64, { min: 0.001, max: 100_000, fraction: true }),
  'file-seconds': numberOption('and so is one that was opened so long ago', 60, {
    min: 0.1,
    max: 86_400,
    fraction: true,
  }),
  'keep-files': numberOption('finished files that stay, the oldest go (default: all)', undefined, {
    min: 1,
    max: 1_000_000,
  }),
  every: numberOption('seconds between two lines of statistics', 10, { min: 0.1, max: 86_400, fraction: true }),
  json: switchOption('print a line of JSON when it listens, for each statistics, and at the end'),
}

export const collect: Command = defineCommand({
  name: 'collect',
  summary: 'Take spans from OpenTelemetry’s exporters and write them to files that trimtab trace reads',
  options,
  examples: [
    ['trimtab collect --to traces', 'OTLP over HTTP on port 4318, where exporters look for it by themselves'],
    ['trimtab trace profile traces/*', 'beside it, or later: what the requests waited for'],
    ['trimtab collect --to traces --keep-files 60 --max-spans-per-second 20000', 'the last hour, and no more'],
  ],
  exits:
    'POST /v1/traces as JSON or protobuf, plain or gzip. Without room exporters are told to come again (429, 503). Ctrl-C or SIGTERM answers whoever was heard and finishes the files.\nExit: 0 done, 2 the call is bad.',
  async run(values, host) {
    const { to, json } = values
    if (to === undefined) throw new UsageError('--to DIR is needed: where the files go')
    const { signal } = host // from here on: what is told to stop while it starts, stops as if it served
    const mostSpansPerSecond = values['max-spans-per-second']
    const keepFiles = values['keep-files']
    const collector = await Collector.start({
      port: values.port,
      host: values.host,
      folder: to,
      mostFileBytes: values['file-mib'] * MIB,
      mostFileSeconds: values['file-seconds'],
      mostBatchBytes: values['max-batch-mib'] * MIB,
      mostWaitingBytes: values['queue-mib'] * MIB,
      ...(mostSpansPerSecond !== undefined && { mostSpansPerSecond }),
      ...(keepFiles !== undefined && { keepFiles }),
      onError: ({ message }) => host.stderr.write(`${printable(message)}\n`),
    })
    const say = (event: string, fields: object, text: string, to = host.stderr): void => {
      if (json) host.stdout.write(`${JSON.stringify({ event, ...fields })}\n`)
      else to.write(`${text}\n`)
    }
    const { recovered } = collector
    const url = `http://${values.host}:${collector.port}/v1/traces`
    const found = recovered.length > 0 ? `; finished what was left: ${recovered.join(', ')}` : ''
    say('listening', { url, to, recovered }, `${url} → ${to}${found}`)
    await tellEvery(values.every, signal, host, () =>
      say('statistics', collector.statistics(), lineOf(collector.statistics())),
    )
    await collector.close()
    say('stopped', collector.statistics(), lineOf(collector.statistics()), host.stdout)
    return EXIT.done
  },
})

/** Until the signal is given. */
async function tellEvery(seconds: number, signal: AbortSignal, host: Host, tell: () => void): Promise<void> {
  for (;;) {
    await host.wait(1000 * seconds, signal)
    if (signal.aborted) return
    tell()
  }
}

function lineOf({ batches, spans, traces, rejectedSpans, bytes, refused }: CollectorStatistics): string {
  const refusals = Object.entries(refused).map(([status, count]) => `${count} × ${status}`)
  const rejected = rejectedSpans > 0 ? `, ${rejectedSpans} spans unreadable` : ''
  const told = refusals.length > 0 ? `, refused ${refusals.join(', ')}` : ''
  return `${spans} spans in ${batches} batches (${(bytes / MIB).toFixed(1)} MiB), ${traces} traces${rejected}${told}`
}
