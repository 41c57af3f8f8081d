// What the handlers of both autoscalers share.
import { compare } from './compare.mjs'

const EXACT_INTEGERS = { rel: 0, abs: 0 }
const FRACTIONS = { rel: 1e-12, abs: 0 }

/** `null` of JSON stands for what is absent. */
export const present = (value) => value ?? undefined

/** Amounts of a vector, `null` as absent. */
export const toAmounts = (amounts) => ({
  cpuMilli: present(amounts?.cpuMilli),
  memoryBytes: present(amounts?.memoryBytes),
})

/** Target and bounds of a vector, those that it has. */
export function toRecommendation(recommendation) {
  const entries = Object.entries(recommendation).filter(([, amounts]) => amounts != null)
  return Object.fromEntries(entries.map(([field, amounts]) => [field, toAmounts(amounts)]))
}

/** Integers exactly, fractions to 1e-12 or the case's own tolerance; only what `expected` names. */
export function compareNumbers(got, expected) {
  const { relativeTolerance, ...rest } = expected
  const tolerance = relativeTolerance === undefined ? undefined : { rel: relativeTolerance, abs: 0 }
  return compareNode(got, rest, tolerance, 'expected')
}

function compareNode(got, expected, tolerance, at) {
  if (typeof expected === 'number') {
    return compare(got, expected, tolerance ?? (Number.isInteger(expected) ? EXACT_INTEGERS : FRACTIONS), at)
  }
  if (Array.isArray(expected)) {
    if (got?.length !== expected.length) return [{ at, expected, got }]
    return expected.flatMap((value, i) => compareNode(got[i], value, tolerance, `${at}[${i}]`))
  }
  if (expected !== null && typeof expected === 'object') {
    return Object.entries(expected).flatMap(([key, value]) => compareNode(got?.[key], value, tolerance, `${at}.${key}`))
  }
  return compare(got ?? null, expected, tolerance, at)
}

/** Elements in any order. */
export function compareSets(got, expected, at) {
  const sorted = (list) => list.map((value) => JSON.stringify(value)).toSorted()
  return compare(sorted(got), sorted(expected), undefined, at)
}

/** Runs `action` and gives what it threw with the given code property, or undefined. */
export function caught(action) {
  try {
    action()
  } catch (error) {
    if (error.code === undefined) throw error
    return error
  }
  return undefined
}
