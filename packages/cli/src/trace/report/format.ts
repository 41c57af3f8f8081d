// Numbers as people read them: on the terminal, in the page, in the playground.
import { ownerName } from '@trimtab/trace'
import { fixed } from '../../report/format.js'
import type { PlaceView, SpeedChange } from './types.js'

const UNITS = [
  { us: 60e6, digits: 1, unit: 'min' },
  { us: 1e6, digits: 2, unit: 's' },
  { us: 1e3, digits: 1, unit: 'ms' },
  { us: 1, digits: 0, unit: 'µs' },
] as const

/** `12 µs`, `340.2 ms`, `2.31 s`, `3.5 min`; `–` where there is none. */
export function duration(us: number): string {
  if (!Number.isFinite(us)) return '–'
  if (us === 0) return '0'
  const size = Math.abs(us)
  if (size < 1) return `${fixed(us * 1000, 0)} ns`
  const { us: step, digits, unit } = UNITS.find((one) => size >= one.us * 0.9995) ?? UNITS[3]
  const value = us / step
  return `${fixed(value, Math.abs(value) >= 100 ? Math.min(digits, 1) : digits)} ${unit}`
}

/** With its sign: `+3.1 ms`, `−20 µs`, `±0`. */
export const signedDuration = (us: number): string => (us > 0 ? `+${duration(us)}` : us < 0 ? duration(us) : '±0')

/** `34.1 %`, `0.4 %`, `100 %`. */
export function percent(share01: number): string {
  const value = share01 * 100
  return `${fixed(value, Math.abs(value) >= 99.95 ? 0 : 1)} %`
}

export const signedPercent = (share01: number): string =>
  Number.isFinite(share01) ? `${share01 > 0 ? '+' : ''}${percent(share01)}` : '–'

/** `1,234,567`. */
export const count = (n: number): string => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',')

export const plural = (n: number, unit: string, units = `${unit}s`): string => `${count(n)} ${n === 1 ? unit : units}`

/** `2× as fast`, `3× as slow`. */
export function speed(speedUp: number): string {
  const factor = speedUp >= 1 ? speedUp : 1 / speedUp
  return `${Number(factor.toPrecision(3))}× as ${speedUp >= 1 ? 'fast' : 'slow'}`
}

/** `cart`, `front → cart`. */
export const placeText = ({ service, callee, kind = 'call' }: PlaceView): string =>
  ownerName(callee === undefined ? { service } : { caller: service, callee, kind })

/** `cart 2× as fast, db 3× as slow`, `cart, front → cart as in the baseline`. */
export function changeText(changes: readonly SpeedChange[]): string {
  const asUsual = changes.filter(({ isAsUsual }) => isAsUsual).map(placeText)
  return [
    ...changes.flatMap((change) =>
      change.speedUp === undefined ? [] : `${placeText(change)} ${speed(change.speedUp)}`,
    ),
    ...(asUsual.length > 0 ? [`${asUsual.join(', ')} as in the baseline`] : []),
  ].join(', ')
}
