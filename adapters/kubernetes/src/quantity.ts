import { ConfigError } from '@trimtab/core'

const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/**
 * The number that a quantity of Kubernetes stands for: `250m` is 0.25 (cores), `64Mi` is 67,108,864 (bytes).
 * @throws {ConfigError} `quantity_invalid`
 */
export function parseQuantity(quantity: string | number): number {
  const [, digits, suffix] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([a-zA-Z]*)$/.exec(String(quantity)) ?? []
  const unit = SUFFIXES[suffix ?? '?']
  if (digits === undefined || unit === undefined)
    throw new ConfigError(
      'quantity_invalid',
      `a quantity is a number with a unit as 250m, 2 or 64Mi, got ${JSON.stringify(quantity)}`,
    )
  // Division keeps 250m exactly 0.25.
  return unit < 1 ? Number(digits) / Math.round(1 / unit) : Number(digits) * unit
}

/** Whole millicores, rounded up: `250m`. */
export const formatCpu = (cores: number): string => `${Math.ceil(Number((cores * 1000).toFixed(6)))}m`

/** Whole MiB, rounded up: `64Mi`. */
export const formatMemory = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)}Mi`
