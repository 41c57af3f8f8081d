// Which column of a table is what: by its name, with the unit at the end of it.
import { ConfigError } from '@trimtab/core'

/** Names of columns, where the readers' own guess is not what is meant. */
export interface ColumnNames {
  /** What ran. Default: `workload`, `function`, `f_name`, `application`, `app` or `job`; without one the table is one workload. */
  readonly workload?: string
  /** How long it ran, the unit at the end: `runtime_s`, `duration_ms`, `duration_mean_ms`, … */
  readonly runtime?: string
  /** What the run cost, USD; `usd_per_million` is of a million runs. */
  readonly cost?: string
  /** What a configuration consists of. Default: `memory_mb` of a serverless table; of others all columns that are left. */
  readonly configuration?: readonly string[]
  /** What was counted beside the runtime. Default: the columns of numbers that are left of a serverless table. */
  readonly counters?: readonly string[]
}

export interface Columns {
  readonly workload: string | undefined
  readonly runtime: string
  readonly secondsPerUnit: number
  readonly cost: string | undefined
  readonly usdPerUnit: number
  readonly status: string | undefined
  readonly configuration: readonly string[]
  /** The dimension that is memory, MB: it has a price where nothing else does. */
  readonly memory: string | undefined
  readonly counters: readonly string[]
}

const WORKLOAD = ['workload', 'function', 'f_name', 'application', 'app', 'job']
const COST = ['target_cost', 'cost_usd', 'usd', 'cost', 'usd_per_million']
const MEMORY = ['memory_mb', 'memory_mib', 'f_size']
/** Beside memory, what else a serverless platform lets one choose. */
const SERVERLESS = ['cpu', 'vcpu', 'cpu_millicores', 'architecture', 'region', 'provider']
const BOOKKEEPING = ['repetition', 'invocation', 'run', 'n', 'index', 'timestamp']

/** Published tables whose headers have no unit: CloudBandit, Sizeless' replication. */
const UNITS: Readonly<Record<string, number>> = { target_runtime: 1, duration_mean: 1e-3 }
const RUNTIME =
  /^(?:target_)?(?:runtime|duration|time|execution_time|latency)(?:_mean|_avg)?_(s|sec|seconds|ms|us|min)$/
const SECONDS: Readonly<Record<string, number>> = { s: 1, sec: 1, seconds: 1, ms: 1e-3, us: 1e-6, min: 60 }
/** Spreads, shares of other columns and the runtimes of other rows are no counters. */
const NO_COUNTER = /_(std|cov|p\d+)(_|$)|^(rel|y)_/

/**
 * @param isNumber  whether a column holds nothing but numbers
 * @throws {ConfigError} `table_invalid` with everything that is missing
 */
export function findColumns(
  name: string,
  header: readonly string[],
  isNumber: (column: string) => boolean,
  names: ColumnNames = {},
): Columns {
  const problems: string[] = []
  const first = (known: readonly string[]) => known.find((column) => header.includes(column))
  const asked = [names.workload, names.runtime, names.cost, ...(names.configuration ?? []), ...(names.counters ?? [])]
  for (const column of asked)
    if (column !== undefined && !header.includes(column))
      problems.push(`there is no column ${JSON.stringify(column)}; it has ${header.slice(0, 20).join(', ')}`)

  const workload = names.workload ?? first(WORKLOAD)
  const runtime = names.runtime ?? header.find((column) => RUNTIME.test(column)) ?? first(Object.keys(UNITS))
  const secondsPerUnit = runtime === undefined ? Number.NaN : unitOf(runtime)
  if (runtime === undefined)
    problems.push(`no column is a runtime: call it runtime_s or duration_ms; it has ${header.slice(0, 20).join(', ')}`)
  else if (Number.isNaN(secondsPerUnit))
    problems.push(
      `the column ${runtime} has no unit: call it ${runtime}_s, ${runtime}_ms, ${runtime}_us or ${runtime}_min`,
    )
  const cost = names.cost ?? first(COST)
  const status = first(['status'])
  const memory = first(MEMORY)

  const taken = [workload, runtime, cost, status, ...(names.counters ?? [])]
  const left = header.filter((column) => !taken.includes(column) && !BOOKKEEPING.includes(column))
  const configuration =
    names.configuration ?? (memory ? left.filter((column) => column === memory || SERVERLESS.includes(column)) : left)
  if (configuration.length === 0) problems.push('no column says on which configuration a row was measured')
  const counters =
    names.counters ??
    (memory
      ? left.filter((column) => !configuration.includes(column) && !NO_COUNTER.test(column) && isNumber(column))
      : [])
  if (problems.length > 0 || runtime === undefined)
    throw new ConfigError('table_invalid', `${name}: ${problems.join('; ')}`)
  return {
    workload,
    runtime,
    secondsPerUnit,
    cost,
    usdPerUnit: cost?.endsWith('_per_million') ? 1e-6 : 1,
    status,
    configuration,
    memory: memory !== undefined && configuration.includes(memory) ? memory : undefined,
    counters,
  }
}

const unitOf = (runtime: string): number =>
  UNITS[runtime] ?? SECONDS[/_(s|sec|seconds|ms|us|min)$/.exec(runtime)?.[1] ?? ''] ?? Number.NaN
