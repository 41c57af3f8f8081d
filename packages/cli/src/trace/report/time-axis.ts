import { duration } from './format.js'

const STEPS = [1, 2, 2.5, 5, 10]

/** Round moments between two times, about five of them; the first is 0 when 0 is among them. */
export function timeAxis(fromUs: number, toUs: number): { readonly us: number; readonly text: string }[] {
  const rough = Math.max(toUs - fromUs, 1e-3) / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = STEPS.map((factor) => factor * power).find((one) => one >= rough * 0.999) ?? 10 * power
  const first = Math.ceil(fromUs / step - 1e-9)
  const last = Math.floor(toUs / step + 1e-9)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => {
    const us = (first + i) * step
    return { us, text: duration(us).replace(/\.0+(?= )/, '') }
  })
}
