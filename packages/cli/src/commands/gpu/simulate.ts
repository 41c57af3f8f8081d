import { createServeCore, paperModels, V100 } from '@trimtab/serve'
import { type Command, defineCommand, EXIT } from '../../command.js'
import { formatSimulation, missesSlo, simulatePolicies } from '../../gpu/simulation.js'
import { renderSimulationReport } from '../../gpu/simulation-report.js'
import { numberOption, switchOption, textOption, UsageError } from '../../options.js'

const options = {
  gpus: numberOption('simulated V100s', 8, { min: 1, max: 64 }),
  rate: numberOption('requests a second, of all models together', 5, { min: 0.1, max: 1000, fraction: true }),
  'slo-scale': numberOption('SLO, as a multiple of what a request of full length takes alone', 4, {
    min: 0.5,
    max: 100,
    fraction: true,
  }),
  seconds: numberOption('of simulated time', 300, { min: 30, max: 86_400 }),
  burstiness: numberOption('coefficient of variation of the time between requests; 1 is Poisson', 1, {
    min: 0.1,
    max: 10,
    fraction: true,
  }),
  step: numberOption('MHz of a step down; a sixteenth of the maximum by default', undefined, { min: 1, max: 1000 }),
  models: textOption('A,B', 'models to serve, of Table 6.1 of the paper; all by default', undefined),
  seed: numberOption('of the requests', 1, { min: 0, max: 2 ** 31 }),
  json: switchOption('print the answer as JSON'),
  report: textOption('FILE', 'write a page with clocks, power and latency over time', undefined),
}

export const simulate: Command = defineCommand({
  name: 'gpu simulate',
  summary: 'What frequency scaling and sensitivity-aware placement would save on a GPU cluster (a simulation)',
  options,
  examples: [
    [
      'trimtab gpu simulate',
      'fifteen models on eight V100s: power with clocks fixed, scaled, and placed by sensitivity',
    ],
    ['trimtab gpu simulate --gpus 16 --rate 10 --report power.html', 'and a page with every clock over time'],
    ['trimtab gpu simulate --models BERT-large,GPT2-xl --gpus 2 --slo-scale 2', 'two models on two GPUs'],
  ],
  exits:
    'Everything is simulated, by laws fitted to measurements of a V100; no GPU is needed or touched.\n' +
    'Exit: 0 done, 1 scaling misses 99 % attainment where fixed clocks reach it, 2 the call is bad.',
  async run(values, host) {
    if (values.report !== undefined && !(await host.canWrite(values.report))) {
      throw new UsageError(`--report: ${values.report} cannot be written`)
    }
    host.stderr.write(`planning ${values.gpus} simulated GPUs …\n`)
    const simulation = simulatePolicies(await createServeCore(), {
      law: V100,
      models: chooseModels(values.models),
      devices: values.gpus,
      ratePerSecond: values.rate,
      sloScale: values['slo-scale'],
      durationSeconds: values.seconds,
      burstiness: values.burstiness,
      seed: values.seed,
      ...(values.step !== undefined && { stepMhz: values.step }),
    })
    if (values.report !== undefined) {
      await host.writeFile(values.report, renderSimulationReport(simulation))
      host.stderr.write(`written: ${values.report}\n`)
    }
    const { ticks, deployment, ...answer } = simulation
    host.stdout.write(values.json ? `${JSON.stringify({ ...answer, deployment })}\n` : formatSimulation(simulation))
    return missesSlo(simulation) ? EXIT.badAnswer : EXIT.done
  },
})

function chooseModels(names: string | undefined) {
  const all = paperModels(V100)
  if (names === undefined) return all
  return names.split(',').map((name) => {
    const model = all.find((one) => one.name.toLowerCase() === name.trim().toLowerCase())
    if (!model)
      throw new UsageError(
        `--models: ${JSON.stringify(name.trim())} is not one of ${all.map((one) => one.name).join(', ')}`,
      )
    return model
  })
}
