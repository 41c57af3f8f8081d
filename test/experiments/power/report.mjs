// docs/results/power.md, power.json and power.svg.
import { insensitiveShare, V100, workMs } from '@trimtab/serve'
import { drawTrace } from './trace-svg.mjs'

export const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2
}
const spread = (values, format) => {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return values.length === 1 ? format(low) : `${format(median(values))} (${format(low)} – ${format(high)})`
}
const times = (value) => `${value.toFixed(2)}×`
const percent = (value) => `${(100 * value).toFixed(2)} %`
const watts = (value) => value.toFixed(0)

const over = ({ runs }, pick) => runs.map(pick)
const isAttained = ({ runs }, policy) => runs.every((run) => run[policy].attainment >= 0.99)

function row(point, name) {
  const { devices, plans } = point
  const mark = (policy) =>
    `${spread(
      over(point, (run) => run[policy].attainment),
      percent,
    )}${isAttained(point, policy) ? '' : ' ✗'}`
  return `| ${name} | ${spread(
    over(point, ({ still }) => still.watts / devices),
    watts,
  )} | ${spread(
    over(point, ({ scaled }) => scaled.watts / devices),
    watts,
  )} | ${spread(
    over(point, ({ aware }) => aware.watts / devices),
    watts,
  )} | ${spread(
    over(point, ({ still, scaled }) => still.watts / scaled.watts),
    times,
  )} | **${spread(
    over(point, ({ ratio }) => ratio),
    times,
  )}** | ${spread(
    over(point, ({ scaled, aware }) => scaled.watts / aware.watts),
    times,
  )} | ${mark('still')} | ${mark('scaled')} | ${mark('aware')} | ${spread(
    over(point, ({ aware }) => aware.normalisedP99),
    (value) => value.toFixed(2),
  )} | ${plans.sensitivityAware.groupSize}, ${plans.sensitivityAware.devicesPerModel} |`
}

const HEAD = (
  first,
) => `| ${first} | none, W/GPU | scaling, W/GPU | + sensitivity, W/GPU | scaling saves | **+ sensitivity saves** | of that, placement | attained: none | scaling | + sensitivity | p99 / SLO | group, CT |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |`

function range(points) {
  const kept = points.filter((point) => isAttained(point, 'aware'))
  if (kept.length === 0) return 'nowhere attained'
  const ratios = kept.map((point) => median(over(point, ({ ratio }) => ratio)))
  return `${times(Math.min(...ratios))} – ${times(Math.max(...ratios))}`
}

function paperPoints(models) {
  const latency = ({ operators }, clock) =>
    operators.reduce(
      (sum, { prompt, fullLength }) => sum + workMs(V100, prompt, clock) + workMs(V100, fullLength, clock),
      0,
    )
  const gpt2 = models.find(({ name }) => name === 'GPT2-large')
  const shares = models.map((model) => insensitiveShare(V100, model))
  return { gpt2At800Ms: latency(gpt2, 800), insensitive: [Math.min(...shares), Math.max(...shares)] }
}

export function report({ scaleName, scale, models, bySlo, byRate, byDevices, main, trace, isShown }) {
  const points = [...new Set([...bySlo, ...byRate, ...byDevices, main])]
  const kept = points.filter((point) => isAttained(point, 'still'))
  const stillKept = kept.filter((point) => isAttained(point, 'aware'))
  const better = stillKept.filter((point) => median(over(point, ({ scaled, aware }) => scaled.watts / aware.watts)) > 1)
  const { gpt2At800Ms, insensitive } = paperPoints(models)
  const gates = [
    [
      'power against no scaling at 99 % attainment',
      '≥ 1.5×',
      `${spread(
        over(main, ({ ratio }) => ratio),
        times,
      )} (SLO scale ${scale.slo}, ${scale.rate} requests/s, ${scale.cluster} GPUs; attained ${spread(
        over(main, ({ aware }) => aware.attainment),
        percent,
      )})`,
      '1.51 – 2.29×',
      isShown ? 'holds' : '**misses**',
    ],
    ['over SLO scales, where 99 % is attained', 'reported', range(bySlo), '1.51 – 2.29×', 'reported'],
    ['over rates, where 99 % is attained', 'reported', range(byRate), '1.85 – 2.61×', 'reported'],
    [
      'scaling without regard to sensitivity, at the same point',
      'reported',
      spread(
        over(main, ({ still, scaled }) => still.watts / scaled.watts),
        times,
      ),
      '1.1 – 1.7×',
      'reported',
    ],
    [
      'points where no scaling attains 99 % and scaling with sensitivity does too',
      'reported',
      `${stillKept.length} of ${kept.length}; there placement saves on top of scaling at ${better.length}`,
      'all; 1.4× on average',
      'reported',
    ],
    [
      'MIAD: largest rise in a second, and steps down',
      '≤ 2×, one STEP',
      `${times(trace.largestUp)}; ${trace.steps.count} steps of at most ${trace.steps.largest} MHz (STEP ${(V100.clocksMhz.at(-1) / 16).toFixed(0)}, rounded up to a clock of the device)`,
      'Fig. 6.13',
      trace.largestUp <= 2.01 ? 'holds' : '**misses**',
    ],
    ['GPT2-large at 800 MHz', 'reported', `${gpt2At800Ms.toFixed(0)} ms`, '≤ 1000 ms', 'reported'],
    [
      'time in insensitive operators, by model',
      'reported',
      `${percent(insensitive[0])} – ${percent(insensitive[1])}`,
      '10 – 60 %',
      'reported',
    ],
  ]
  const markdown = `# GPU power while serving models: frequency scaling and placement (a simulation)

**Everything here is simulated.** Latency, frequency and power follow laws fitted to measurements of a V100 (\`node scripts/fit-gpu-law.mjs\`: 127 kernels at 9 clocks, times within 3.0 %, power within 2.5 % with each kernel's own wattages, 11 – 14 % with those of the law); operators take what Vidur's profiles say of their throughput. The models are those of Table 6.1.

| figure | gate | ours | paper | |
| --- | --- | --- | --- | --- |
${gates.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}

none: AlpaServe's plan, first come first served, clocks at their maximum. scaling: the same plan under Algorithm 6.3 and the scheduler (AlpaServe-Scaling). + sensitivity: partitions of similar sensitivity share a device (Algorithm 6.2), the same scaler. ✗: 99 % not attained with every seed.

## SLO scales (${scale.rate} requests/s, ${scale.cluster} GPUs)

${HEAD('SLO scale')}
${bySlo.map((point) => row(point, point.slo)).join('\n')}

## Rates (SLO scale ${scale.slo}, ${scale.cluster} GPUs)

${HEAD('requests/s')}
${byRate.map((point) => row(point, point.rate)).join('\n')}
${
  byDevices.length > 0
    ? `
## Devices (SLO scale ${scale.slo}, ${scale.rate} requests/s)

${HEAD('GPUs')}
${[...byDevices, main].map((point) => row(point, point.devices)).join('\n')}
`
    : ''
}
## The scheduler's part (appendix B.2)

At SLO scale ${scale.slo}, ${scale.rate} requests/s: first come first served instead of shortest job first, scaled with regard to sensitivity: ${spread(
    over(main, ({ awareFcfs }) => main.runs[0].still.watts / awareFcfs.watts),
    times,
  )} at ${spread(
    over(main, ({ awareFcfs }) => awareFcfs.attainment),
    percent,
  )}. Clocks at their maximum: p99 / SLO ${spread(
    over(main, ({ still }) => still.normalisedP99),
    (value) => value.toFixed(2),
  )} first come first served, ${spread(
    over(main, ({ scheduled }) => scheduled.normalisedP99),
    (value) => value.toFixed(2),
  )} shortest first. Without batches and at these loads a model's own queue is short, so the order matters little.

## MIAD in time (Fig. 6.13)

![Clock of one GPU while the load rises four-fold](power.svg)

GPU ${trace.device} of the plan above: the clock falls step by step while there is slack, doubles when there is none, stays at its maximum through the surge and as long as the surge's slow answers are in the scaler's window of 60 s, and falls again. Seconds, arrivals and clocks are in \`power.json\`.

## Why not more

A V100 that holds its clock at 1380 MHz and computes nothing draws ${(V100.idleWatts + V100.clockWatts).toFixed(0)} W, at 500 MHz 29 W: an idle cluster saves at most 1.7×. A busy one saves on the cores' voltage (the square falls to 0.64 below 1000 MHz, not further), nothing on the memory's power, and works longer. The paper's GPT2-large draws 1.8 times less at 800 than at 1300 MHz for at most 20 % more time; by the laws of the kernels measured here it draws 1.5 times less for 27 %, encoders 1.9 times less for 60 %. Where the SLO leaves no room for that time (scales up to 2), little is saved.

## Setting

Fifteen models on ${scale.cluster} simulated V100 (16 GB), up to three further copies of each while they help; Poisson arrivals, the same share of GPU time for each model, lengths as in the Azure conversation trace 2023, output lengths predicted with a standard deviation of 0.5 in their logarithm. SLO: the scale times the model's latency alone at full length. Seeds ${scale.seeds.join(', ')}, ${scale.seconds} s each, the first 20 not counted; plans made once for another load (seed 1000, ${scale.planSeconds} s). Figures: median (smallest – largest seed). Assumed and not measured: no batches; time slicing between models on a GPU; a new clock holds at once; hand-over between GPUs 0.02 ms a token.

Command: \`npm run experiment -- power --scale ${scaleName}\`
`
  const json = {
    ...{ scale: scaleName, setting: scale, isShown, simulated: true },
    points: points.map(({ plans, ...point }) => ({
      ...point,
      groupSize: plans.sensitivityAware.groupSize,
      devicesPerModel: plans.sensitivityAware.devicesPerModel,
      alpaServeGroupSize: plans.alpaServe.groupSize,
      simulations: plans.simulations,
    })),
    trace,
  }
  return { markdown, json, svg: drawTrace(trace), isShown }
}
