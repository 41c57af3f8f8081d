/** The largest amount a recommendation can name: millicores or bytes. */
export const MAX_AMOUNT = 1e14

/** A whole amount within `[0, 1e14]`; fractions are cut. Millicores or bytes. */
export function toAmount(value: number): number {
  if (!(value > 0)) return 0
  return value > MAX_AMOUNT ? MAX_AMOUNT : Math.trunc(value)
}

/** `amount · factor` as a whole amount. */
export function scaleAmount(amount: number, factor: number): number {
  return toAmount(amount * factor)
}

/** Cores as whole millicores. */
export function toMillicores(cores: number): number {
  return toAmount(cores * 1000)
}
