import { LARGEST_COUNT } from './abi.js'
import { ConfigError, type Problems } from './errors.js'

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

/** Whether `value` is a number of things that the core can plan for: whole, of 1 … LARGEST_COUNT. */
export const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= LARGEST_COUNT

/** What `isCount` asks for, for messages. */
export const COUNT: string = `a whole number of 1 … ${LARGEST_COUNT}`

/** Notes what is no count, by name; where a list is given, each of its entries must be one. */
export function checkCounts(problems: Problems, sizes: Readonly<Record<string, number | readonly number[]>>): void {
  for (const [name, size] of Object.entries(sizes)) {
    if (typeof size === 'object')
      problems.check(size.every(isCount), `${name} must hold ${COUNT} each, got [${size.join(', ')}]`)
    else problems.check(isCount(size), `${name} must be ${COUNT}, got ${size}`)
  }
}

/** Which part of a transition the core refused to store. */
export function describeNotFinite(columns: Readonly<Record<string, ArrayLike<number>>>, reward: number): string {
  for (const [name, values] of Object.entries(columns)) {
    const bad = Array.from(values).findIndex((value) => !Number.isFinite(value))
    if (bad >= 0) return `${name}[${bad}] is ${values[bad]}; the transition was not stored`
  }
  return `reward is ${reward}, which is not a finite f32; the transition was not stored`
}
