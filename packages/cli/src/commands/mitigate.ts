import { createCore } from '@trimtab/core'
import { printable } from '@trimtab/core/text'
import type { PresetName, Resource } from '@trimtab/tasks/microservices'
import { type Command, defineCommand, EXIT } from '../command.js'
import type { Host } from '../host.js'
import { stateOption } from '../limits/state.js'
import { actLive } from '../mitigation/act-live.js'
import { formatFinding, formatIncident, formatMitigation } from '../mitigation/format.js'
import { type LiveFinding, watchLive } from '../mitigation/from-live.js'
import { recommendFromTraces } from '../mitigation/from-traces.js'
import type { Incident, MitigationReport } from '../mitigation/report-types.js'
import { parseServices } from '../mitigation/services-file.js'
import { simulateMitigation } from '../mitigation/simulate.js'
import { choiceOption, numberOption, switchOption, textOption, UsageError, type Values } from '../options.js'
import { createProgress } from '../progress.js'
import { readingOf, readingOptions, readText } from '../read-file.js'
import { createPaint } from '../terminal.js'

const PRESETS: Readonly<Record<string, PresetName>> = {
  hotel: 'hotel-reservation',
  social: 'social-network',
  train: 'train-ticket',
  media: 'media-service',
}

const options = {
  preset: choiceOption('the simulated application, where no file is given', Object.keys(PRESETS), 'hotel'),
  seconds: numberOption('how long it is simulated', 60, { min: 5, max: 86_400 }),
  load: numberOption('of its usual load', 1.6, { min: 0.01, max: 100, fraction: true }),
  every: numberOption('seconds from one anomaly to the next, on average', 3, { min: 0.1, max: 86_400, fraction: true }),
  campaign: textOption('FILE', 'anomalies of a campaign file instead', undefined),
  seed: numberOption('of requests, anomalies and noise', 1, { min: 0, max: 2 ** 31 }),
  act: switchOption(
    'carry out what is recommended: in the simulator beside the same run without, with --live on --services',
  ),
  live: switchOption('watch spans as OpenTelemetry’s exporters send them, until Ctrl-C'),
  services: textOption('FILE', 'with --live --act: whose limits may be changed, JSON', undefined),
  state: stateOption,
  port: numberOption('with --live: where to listen, on this machine; 0: any that is free', 4318, {
    min: 0,
    max: 65_535,
  }),
  window: numberOption('with --live: seconds of spans that are looked at together', 5, {
    min: 0.1,
    max: 3600,
    fraction: true,
  }),
  'slo-factor': numberOption('with --live: late is beyond so many times the p99 of the baseline', 1.5, {
    min: 0.01,
    max: 1000,
    fraction: true,
  }),
  baseline: textOption('FILE', 'with --live and trace files: traces of a time when all was well (needed)', undefined),
  top: numberOption('with trace files: the most recommendations', 5, { min: 1, max: 1000 }),
  json: switchOption('print all numbers as JSON'),
}

export const mitigateCommand: Command = defineCommand({
  name: 'mitigate',
  summary: 'From late requests to their culprit, and what to do about it: limits, drain and replace',
  operands: '[FILE…]',
  options,
  examples: [
    ['trimtab mitigate', 'a simulated hotel where things go wrong: what is recommended, and why'],
    ['trimtab mitigate --preset train --act', 'the same carried out, against the same requests without'],
    ['trimtab mitigate slow/* --baseline usual.json', 'of traces of your own, recommended only'],
    ['trimtab mitigate --live --baseline usual.json', 'of spans as they come, from your services’ exporters'],
    ['trimtab mitigate --live --baseline usual.json --act --services services.json', 'carried out on your processes'],
  ],
  exits:
    'Without files on the simulator, where machines have 1.2 × what is deployed and telemetry is a second late. Nothing real is changed but with\n--live --act: processes of this machine that --services names, {"format":"trimtab-services/1","services":{"cart":{"pid":4711,"cores":0.5}}};\nlimits are given back in the end, after SIGKILL by trimtab linux restore.\nExit: 0 done (--live: on Ctrl-C or SIGTERM), 1 no service stands out in the files, 2 the call is bad.',
  async run(values, host, files) {
    const { baseline, json, top, services } = values
    if (services !== undefined && !(values.live && values.act))
      throw new UsageError('--services is for --live --act: whose limits are changed')
    if (values.live) {
      if (files.length > 0) throw new UsageError('--live takes spans as they come: leave the files out')
      if (baseline === undefined) throw new UsageError('--baseline FILE is needed: what is usual for these requests')
      if (values.act && services === undefined)
        throw new UsageError('--act with --live needs --services FILE: spans do not say whose processes they are of')
      return await watch({ ...values, baseline }, host)
    }
    if (files.length === 0 && baseline !== undefined)
      throw new UsageError('--baseline is for trace files: name the traces of the bad time as well')
    if (files.length > 0 && baseline === undefined)
      throw new UsageError('--baseline FILE is needed: what is usual for these traces')
    if (files.length > 0 && values.act)
      throw new UsageError('--act is for the simulator: trace files cannot be acted on')
    let report: MitigationReport
    if (baseline !== undefined) report = await recommendFromTraces(files, { baseline, top }, host)
    else {
      const progress = createProgress(host, 'seconds')
      const reading = readingOf(host, { 'max-bytes': 2 ** 24, 'max-lines': readingOptions['max-lines'].fallback })
      const campaign = values.campaign === undefined ? undefined : await readText(values.campaign, reading)
      report = await simulateMitigation(await createCore(), {
        preset: PRESETS[values.preset]!,
        ...{ seconds: values.seconds, load: values.load, everySeconds: values.every, seed: values.seed },
        ...{ campaign, isActing: values.act, signal: host.signal },
        onProgress: (label, done, total) => progress.update({ label, done, total }),
      }).finally(() => progress.finish())
    }
    const paint = createPaint(host.stdout, host.env)
    host.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : formatMitigation(report, paint))
    return report.source === 'traces' && report.recommendations.length === 0 ? EXIT.badAnswer : EXIT.done
  },
})

type WatchValues = Omit<Values<typeof options>, 'baseline'> & { readonly baseline: string }

async function watch(
  { baseline, port, window, json, state, services, 'slo-factor': sloFactor }: WatchValues,
  host: Host,
) {
  const paint = createPaint(host.stdout, host.env)
  const say = (event: string, fields: object, text: string, to = host.stdout): unknown =>
    json ? host.stdout.write(`${JSON.stringify({ event, ...fields })}\n`) : to.write(text)
  const plan = {
    ...{ baseline, port, sloFactor, everySeconds: window },
    onListening(url: string, slos: ReadonlyMap<string, number>) {
      const listed = [...slos].map(([name, ms]) => `${printable(name)} ${ms.toFixed(1)} ms`).join(', ')
      say('listening', { url, slosMs: Object.fromEntries(slos) }, `${url}; SLOs: ${listed}\n`, host.stderr)
    },
    onFinding: (finding: LiveFinding) => say('finding', finding, formatFinding(finding, paint)),
  }
  if (services === undefined) {
    const requests = await watchLive(plan, host)
    say('stopped', { requests }, `${requests} requests seen; nothing was changed.\n`)
    return EXIT.done
  }
  const file = parseServices(
    await readText(services, { readBytes: host.readBytes, ...SMALL }, `--services ${services}`),
  )
  let holds: readonly Resource[] = []
  const acting = {
    ...{ ...plan, services: file, stateFolder: state },
    onHeld(by: string, held: readonly Resource[], pids: Readonly<Record<string, number>>) {
      holds = held
      const listed = Object.entries(pids).map(([name, pid]) => `${printable(name)} (process ${pid})`)
      say('held', { by, holds, pids }, `held by ${by}, ${holds.join(' and ')}: ${listed.join(', ')}\n`, host.stderr)
    },
    onIncident: (event: 'named' | 'over', incident: Incident) =>
      say(event, incident, formatIncident(event, incident, { paint, holds })),
  }
  const requests = await actLive(acting, host)
  say('stopped', { requests }, `${requests} requests seen; limits are as they were before.\n`)
  return EXIT.done
}

const SMALL = { maxBytes: 2 ** 20, maxLines: 100_000 }
