import { createCore } from '@trimtab/core'
import type { PresetName } from '@trimtab/tasks/microservices'
import { type Command, defineCommand, EXIT } from '../command.js'
import { formatMitigation } from '../mitigation/format.js'
import { recommendFromTraces } from '../mitigation/from-traces.js'
import type { MitigationReport } from '../mitigation/report-types.js'
import { simulateMitigation } from '../mitigation/simulate.js'
import { choiceOption, numberOption, switchOption, textOption, UsageError } from '../options.js'
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
  act: switchOption('carry out what is recommended, beside the same run without'),
  baseline: textOption('FILE', 'with trace files: traces of a time when all was well (needed)', undefined),
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
  ],
  exits:
    'Without files on the simulator, where machines have 1.2 × what is deployed and telemetry is a second late. Nothing real is changed.\nExit: 0 done, 1 no service stands out in the files, 2 the call is bad.',
  async run(values, host, files) {
    const { baseline, json, top } = values
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
