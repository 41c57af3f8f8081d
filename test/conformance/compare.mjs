// Differences between what a vector expects and what came out.

const EXACT = { rel: 0, abs: 0 }

/**
 * Checks only what `expected` has: its keys, its elements. Numbers agree when `|got − expected| ≤ abs + rel·|expected|`;
 * a number that is not finite never agrees.
 * @param {any} got
 * @param {any} expected
 * @param {{ rel?: number, abs?: number }} tolerance
 * @returns `[{ at, expected, got }]`, empty when they agree
 */
export function compare(got, expected, tolerance = EXACT, at = 'expected') {
  if (typeof expected === 'number') {
    const { rel = 0, abs = 0 } = tolerance
    const agrees =
      typeof got === 'number' && Number.isFinite(got) && Math.abs(got - expected) <= abs + rel * Math.abs(expected)
    return agrees ? [] : [{ at, expected, got }]
  }
  if (Array.isArray(expected)) {
    const list = Array.isArray(got) || ArrayBuffer.isView(got) ? got : undefined
    if (list?.length !== expected.length) return [{ at, expected, got }]
    return expected.flatMap((value, i) => compare(list[i], value, tolerance, `${at}[${i}]`))
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof got !== 'object' || got === null) return [{ at, expected, got }]
    return Object.entries(expected).flatMap(([key, value]) => compare(got[key], value, tolerance, `${at}.${key}`))
  }
  return Object.is(got, expected) ? [] : [{ at, expected, got }]
}
