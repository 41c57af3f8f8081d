// Axes: where a value lies between 0 and 1, and which values are worth a label.

export interface Tick {
  readonly at01: number
  readonly text: string
}

export interface Scale {
  readonly ticks: readonly Tick[]
  /** 0 at the axis' start, 1 at its end; values outside are held at the edge. */
  to01(value: number): number
}

const clamp01 = (value: number): number => Math.min(1, Math.max(0, value))

const shortNumber = (value: number): string => {
  if (value >= 1e6) return `${trimZeros(value / 1e6)}M`
  if (value >= 1e4) return `${trimZeros(value / 1e3)}k`
  return trimZeros(value)
}
const trimZeros = (value: number): string => String(Number(value.toPrecision(3)))

/** The step of 1, 2, 2.5 or 5 times a power of ten that gives about `count` steps in `span`. */
function niceStep(span: number, count: number): number {
  const rough = span / count
  const power = 10 ** Math.floor(Math.log10(rough))
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= rough * 0.999) ?? power * 10
}

/** From `min` to `max`, widened to whole steps. */
export function linearScale(min: number, max: number, count = 4): Scale {
  const step = niceStep(Math.max(max - min, 1e-9), count)
  const low = Math.floor(min / step + 1e-9) * step
  const high = Math.max(low + step, Math.ceil(max / step - 1e-9) * step)
  const to01 = (value: number) => clamp01((value - low) / (high - low))
  const steps = Math.round((high - low) / step)
  const ticks = Array.from({ length: steps + 1 }, (_, i) => low + i * step)
  return { to01, ticks: ticks.map((value) => ({ at01: to01(value), text: shortNumber(value) })) }
}

/** Logarithmic, from `min` to `max`, both > 0; labels at 1, 2, 5 (or only 1) of each decade. */
export function logScale(min: number, max: number): Scale {
  const low = Math.log10(min)
  const high = Math.max(Math.log10(max), low + 0.3)
  const to01 = (value: number) => (value > 0 ? clamp01((Math.log10(value) - low) / (high - low)) : 0)
  const digits = high - low > 2.2 ? [1] : high - low > 1.1 ? [1, 3] : [1, 2, 5]
  const ticks: Tick[] = []
  for (let decade = Math.floor(low); decade <= Math.ceil(high); decade++) {
    for (const digit of digits) {
      const at = (Math.log10(digit * 10 ** decade) - low) / (high - low)
      if (at > -1e-9 && at < 1 + 1e-9) ticks.push({ at01: clamp01(at), text: shortNumber(digit * 10 ** decade) })
    }
  }
  return { to01, ticks }
}

/** Linear around zero and logarithmic far above `knee`: shows 0, 0.3 and 80 on one axis. */
export function kneeScale(max: number, knee: number): Scale {
  const top = Math.asinh(Math.max(max, knee) / knee)
  const to01 = (value: number) => clamp01(Math.asinh(value / knee) / top)
  const ticks: Tick[] = [{ at01: 0, text: '0' }]
  for (let value = knee; value <= max * 1.0001; value *= 10) ticks.push({ at01: to01(value), text: shortNumber(value) })
  return { to01, ticks }
}

/** Time from zero: minutes up to two hours, hours up to two days, days beyond. */
export function timeTicks(seconds: number): { readonly unit: string; readonly ticks: readonly Tick[] } {
  const [unit, size] = seconds <= 7200 ? ['min', 60] : seconds <= 172_800 ? ['h', 3600] : ['d', 86_400]
  const length = seconds / size
  const step = niceStep(length, 6)
  const count = Math.floor(length / step + 1e-9)
  return {
    unit,
    ticks: Array.from({ length: count + 1 }, (_, i) => ({ at01: (i * step) / length, text: trimZeros(i * step) })),
  }
}

/** Over all lists; −∞ when there is nothing. Unlike a spread call it takes lists of any length. */
export const maxOf = (lists: readonly (readonly number[])[]): number =>
  lists.reduce((best, list) => list.reduce((a, b) => Math.max(a, b), best), Number.NEGATIVE_INFINITY)

export const minOf = (lists: readonly (readonly number[])[]): number =>
  lists.reduce((best, list) => list.reduce((a, b) => Math.min(a, b), best), Number.POSITIVE_INFINITY)
