import { ConfigError } from '@trimtab/core'

/** @throws {ConfigError} `size_mismatch`, `not_finite` */
export function requireShape(name: string, values: Float32Array, rows: number, columns: number): void {
  if (values.length !== rows * columns) {
    throw new ConfigError(
      'size_mismatch',
      `${name} must hold ${rows} × ${columns} numbers, got ${values.length}: register the base learner with the shapes it has`,
    )
  }
  const at = values.findIndex((value) => !Number.isFinite(value))
  if (at >= 0) throw new ConfigError('not_finite', `${name}[${at}] must be a finite number, got ${values[at]}`)
}
