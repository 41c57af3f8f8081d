import type { Core } from '@trimtab/core'
import type { RuntimeTable } from './runtime-table.js'

/** What a network sees of each configuration. */
export interface ConfigurationFeatures {
  readonly width: number
  /** [C, width] */
  readonly values: Float32Array
}

/**
 * Numbers that every configuration has (memory, nodes) as standardised logarithms; everything else (a cloud, the type code of
 * one cloud) as one column a value, all 0 where it does not apply.
 */
export function encodeConfigurations(core: Core, { dimensions, configurations }: RuntimeTable): ConfigurationFeatures {
  const columns = dimensions.flatMap((_, d) => {
    const texts = configurations.map(({ settings }) => settings[d]!)
    const numbers = texts.map((text) => (text === '' ? Number.NaN : Number(text)))
    if (numbers.every((value) => value > 0)) return [standardised(numbers.map((value) => core.math.log(value)))]
    const values = [...new Set(texts)].filter((text) => text !== '').sort()
    return values.map((value) => texts.map((text) => (text === value ? 1 : 0)))
  })
  return byRow(columns, configurations.length)
}

/**
 * The columns as they are in the file: numbers, 0 where a dimension does not apply (the papers' zero padding), words as one
 * column a value; each standardised.
 */
export function padConfigurations({ dimensions, configurations }: RuntimeTable): ConfigurationFeatures {
  const columns = dimensions.flatMap((_, d) => {
    const texts = configurations.map(({ settings }) => settings[d]!)
    const numbers = texts.map(Number) // '' is 0
    if (!numbers.some(Number.isNaN)) return [standardised(numbers)]
    const values = [...new Set(texts)].filter((text) => text !== '').sort()
    return values.map((value) => standardised(texts.map((text) => (text === value ? 1 : 0))))
  })
  return byRow(columns, configurations.length)
}

function byRow(columns: readonly (readonly number[])[], rows: number): ConfigurationFeatures {
  const width = columns.length
  return {
    width,
    values: Float32Array.from({ length: rows * width }, (_, i) => columns[i % width]![Math.floor(i / width)]!),
  }
}

function standardised(values: readonly number[]): number[] {
  const { mean, deviation } = spreadOf(values)
  return values.map((value) => (value - mean) / deviation)
}

/** Mean and standard deviation of what is not NaN; 0 and 1 of nothing, deviation 1 of equals. */
export function spreadOf(values: readonly number[]): { readonly mean: number; readonly deviation: number } {
  const known = values.filter((value) => !Number.isNaN(value))
  if (known.length === 0) return { mean: 0, deviation: 1 }
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length
  const variance = known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / known.length
  return { mean, deviation: Math.sqrt(variance) || 1 }
}
