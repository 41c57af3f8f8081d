import { ConfigError } from './errors.js'

/** @throws {ConfigError} `size_mismatch` */
export function requireLength(name: string, array: { readonly length: number }, length: number): void {
  if (array.length !== length)
    throw new ConfigError('size_mismatch', `${name} must hold ${length} numbers, got ${array.length}`)
}

/** @throws {ConfigError} `not_finite` */
export function requireFinite(name: string, array: ArrayLike<number>): void {
  for (let i = 0; i < array.length; i++) {
    if (!Number.isFinite(array[i]))
      throw new ConfigError('not_finite', `${name}[${i}] must be a finite number, got ${array[i]}`)
  }
}

export const isCount = (value: number): boolean => Number.isInteger(value) && value > 0

/** Which part of a transition the core refused to store. */
export function describeNotFinite(columns: Readonly<Record<string, ArrayLike<number>>>, reward: number): string {
  for (const [name, values] of Object.entries(columns)) {
    const bad = Array.from(values).findIndex((value) => !Number.isFinite(value))
    if (bad >= 0) return `${name}[${bad}] is ${values[bad]}; the transition was not stored`
  }
  return `reward is ${reward}, which is not a finite f32; the transition was not stored`
}
