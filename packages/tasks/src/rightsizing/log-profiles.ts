import { ConfigError, type Core } from '@trimtab/core'
import type { RuntimeTable } from './runtime-table.js'

/** What the predictors learn from: log runtimes, and how they split into workload and configuration. */
export interface LogProfiles {
  /** ln seconds; where nothing was measured, level + effect. [W, C] */
  readonly logs: Float64Array
  /** Of each workload on a configuration of effect 0. [W] */
  readonly levels: Float64Array
  /** Of each configuration, mean 0; 0 where no workload was measured. [C] */
  readonly effects: Float64Array
}

const SWEEPS = 50 // gaps are few: a handful would do

/**
 * Fits ln seconds = level(workload) + effect(configuration) by alternating least squares and fills the gaps with it.
 * @throws {ConfigError} `table_invalid` when nothing was measured
 */
export function logProfiles(core: Core, table: RuntimeTable): LogProfiles {
  const workloads = table.workloads.filter(({ seconds }) => seconds.some((value) => !Number.isNaN(value)))
  const [w, c] = [workloads.length, table.configurations.length]
  if (w === 0)
    throw new ConfigError('table_invalid', `${table.name}: no workload was measured, so nothing can be learnt`)
  const logs = new Float64Array(w * c)
  for (const [i, { seconds }] of workloads.entries())
    for (let j = 0; j < c; j++) logs[i * c + j] = Number.isNaN(seconds[j]!) ? Number.NaN : core.math.log(seconds[j]!)
  const levels = new Float64Array(w)
  const effects = new Float64Array(c)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let i = 0; i < w; i++) levels[i] = meanOf(c, (j) => logs[i * c + j]! - effects[j]!)
    for (let j = 0; j < c; j++) effects[j] = meanOf(w, (i) => logs[i * c + j]! - levels[i]!)
    const shift = meanOf(c, (j) => effects[j]!)
    for (let j = 0; j < c; j++) effects[j]! -= shift
  }
  for (let i = 0; i < w; i++) levels[i] = meanOf(c, (j) => logs[i * c + j]! - effects[j]!)
  for (let i = 0; i < w; i++)
    for (let j = 0; j < c; j++) if (Number.isNaN(logs[i * c + j]!)) logs[i * c + j] = levels[i]! + effects[j]!
  return { logs, levels, effects }
}

/** Of what is not NaN; 0 when everything is. */
function meanOf(count: number, read: (i: number) => number): number {
  let [sum, known] = [0, 0]
  for (let i = 0; i < count; i++) {
    const value = read(i)
    if (Number.isNaN(value)) continue
    sum += value
    known++
  }
  return known > 0 ? sum / known : 0
}
