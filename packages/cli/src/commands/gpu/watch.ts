import { printable } from '@trimtab/core/text'
import { findVisibleGpu, type NvmlSample, watchGpu } from '@trimtab/nvml'
import { type Command, defineCommand, EXIT } from '../../command.js'
import { limitsOf, ofTotal, percent, whole } from '../../gpu/format.js'
import { commonOptions, gpuOption, withNvml } from '../../gpu/open.js'
import { numberOption, switchOption } from '../../options.js'
import { createPaint } from '../../terminal.js'

const HEADING = `${'Time'.padStart(8)}  ${'Clock'.padStart(8)}  ${'Power'.padStart(11)}  ${'Energy'.padStart(10)}  ${'GPU'.padStart(5)}  ${'Memory'.padStart(6)}  ${'Heat'.padStart(5)}  Held down by`

export const watch: Command = defineCommand({
  name: 'gpu watch',
  summary: 'Clock, power, energy, utilisation and what holds the clock down, as they are; sets nothing',
  options: {
    gpu: gpuOption,
    interval: numberOption('milliseconds between readings; power is often an average over one second', 1000, {
      min: 10,
      max: 3_600_000,
    }),
    samples: numberOption('stop after so many readings (default: at Ctrl-C)', undefined, {
      min: 1,
      max: 1_000_000_000,
    }),
    ...commonOptions,
    json: switchOption('print a line of JSON a reading'),
  },
  examples: [
    ['trimtab gpu watch', 'the only GPU, every second'],
    ['trimtab gpu watch --gpu GPU-8f2c… --interval 100 --samples 600 --json > minute.jsonl', 'a minute, to plot'],
  ],
  exits: 'Exit: 0 done, 1 no GPU or lost, 2 the call is bad.',
  run: ({ gpu: selector, interval, samples, library, json }, host) =>
    withNvml(library, host, async (nvml) => {
      const gpu = findVisibleGpu(nvml, selector, host.env, (message) =>
        host.stderr.write(`trimtab: ${printable(message)}\n`),
      )
      const stop = new AbortController()
      const options = {
        intervalMs: interval,
        now: () => host.now() / 1000,
        wait: host.wait,
        signal: AbortSignal.any([host.signal, stop.signal]),
      }
      const paint = createPaint(host.stdout, host.env)
      let [count, first] = [0, undefined as NvmlSample | undefined]
      for await (const sample of watchGpu(gpu, options)) {
        if (++count === samples) stop.abort()
        if (!first && !json) {
          const origin =
            sample.energySource === 'integrated' ? 'integrated from power: there is no counter' : 'by counter'
          host.stdout.write(
            `${paint.dim(`${gpu.subject}${gpu.isMig ? ', MIG' : ''}; energy since the start, ${origin}`)}\n`,
          )
          host.stdout.write(`${paint.bold(HEADING)}\n`)
        }
        first ??= sample
        host.stdout.write(
          json ? `${JSON.stringify({ gpu: gpu.uuid, ...sample })}\n` : `${formatSample(sample, first)}\n`,
        )
      }
      return EXIT.done
    }),
})

function formatSample(sample: NvmlSample, first: NvmlSample): string {
  const energy = { now: sample.energyJoules, start: first.energyJoules }
  const joules = energy.now === undefined || energy.start === undefined ? undefined : energy.now - energy.start
  return [
    `${(sample.seconds - first.seconds).toFixed(1)} s`.padStart(8),
    whole(sample.clockMhz, ' MHz').padStart(8),
    ofTotal(sample.powerWatts, sample.powerLimitWatts, 'W').padStart(11),
    whole(joules, ' J').padStart(10),
    percent(sample.utilisation01).padStart(5),
    percent(sample.memoryUtilisation01).padStart(6),
    whole(sample.temperatureCelsius, ' °C').padStart(5),
    limitsOf(sample),
  ]
    .join('  ')
    .trimEnd()
}
