import { ConfigError } from '@trimtab/core'
import type { Sample } from './predictor.js'
import { type MeasuredWorkload, measuredOn, type RuntimeTable } from './runtime-table.js'

/** What a table has of a workload on one configuration. */
export const sampleOf = ({ counters }: RuntimeTable, workload: MeasuredWorkload, configuration: number): Sample => ({
  configuration,
  seconds: workload.seconds[configuration]!,
  counters: workload.counters.slice(configuration * counters.length, (configuration + 1) * counters.length),
})

/** Everything a table has of a workload. */
export const samplesOf = (table: RuntimeTable, workload: MeasuredWorkload): Sample[] =>
  measuredOn(workload).map((configuration) => sampleOf(table, workload, configuration))

/**
 * What another table has of a workload, as samples for predictors of `pool`: configurations are found by their settings,
 * counters by their names.
 * @throws {ConfigError} `samples_invalid` with the configurations that `pool` does not know
 */
export function samplesFor(pool: RuntimeTable, measured: RuntimeTable, workload: MeasuredWorkload): Sample[] {
  const places = pool.dimensions.map((dimension) => measured.dimensions.indexOf(dimension))
  const missing = pool.dimensions.filter((_, d) => places[d]! < 0)
  if (missing.length > 0)
    throw new ConfigError('samples_invalid', `${measured.name} lacks the columns ${missing.join(', ')} of ${pool.name}`)
  const known = new Map(pool.configurations.map(({ settings }, c) => [JSON.stringify(settings), c]))
  const unknown: string[] = []
  const samples = samplesOf(measured, workload).flatMap(({ configuration, seconds, counters }) => {
    const { settings, name } = measured.configurations[configuration]!
    const place = known.get(JSON.stringify(places.map((d) => settings[d])))
    if (place === undefined) unknown.push(name)
    const own = pool.counters.map((counter) => counters[measured.counters.indexOf(counter)] ?? Number.NaN)
    return place === undefined ? [] : [{ configuration: place, seconds, counters: Float64Array.from(own) }]
  })
  if (unknown.length > 0)
    throw new ConfigError(
      'samples_invalid',
      `${measured.name} has configurations that ${pool.name} does not know: ${unknown.join('; ')} (known: ${pool.configurations[0]!.name}, …)`,
    )
  return samples
}
