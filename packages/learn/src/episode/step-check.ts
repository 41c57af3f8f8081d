import { ConfigError, type Step } from '@trimtab/core'

/** What is wrong with an answer to `reset`, in words; `undefined` when it is an observation. */
export function observationFault(observation: unknown): string | undefined {
  return isFloat32Array(observation) ? undefined : `observation must be a Float32Array, got ${nameOf(observation)}`
}

/**
 * What is wrong with an answer to `step`, in words; `undefined` when it is a `Step`. Only shapes are judged: numbers that are none
 * are the guard's business. A missing `truncated` is false, a missing `info` is empty.
 */
export function stepFault(step: unknown): string | undefined {
  if (typeof step !== 'object' || step === null) return `a step must be an object, got ${nameOf(step)}`
  const { observation, reward, terminated, truncated = false, info = {} } = step as Partial<Record<keyof Step, unknown>>
  const fault = observationFault(observation)
  if (fault !== undefined) return fault
  if (typeof reward !== 'number') return `reward must be a number (NaN when not measured), got ${nameOf(reward)}`
  if (typeof terminated !== 'boolean') return `terminated must be true or false, got ${nameOf(terminated)}`
  if (typeof truncated !== 'boolean') return `truncated must be true or false, got ${nameOf(truncated)}`
  return typeof info === 'object' && info !== null ? undefined : `info must be an object, got ${nameOf(info)}`
}

/**
 * A simulator's answer, checked: what is wrong there is a bug of the simulator.
 * @throws {ConfigError} `step_invalid`
 */
export function requireStep(fault: string | undefined): void {
  if (fault !== undefined) throw new ConfigError('step_invalid', `the environment's answer cannot be used: ${fault}`)
}

const isFloat32Array = (value: unknown): boolean =>
  value instanceof Float32Array || Object.prototype.toString.call(value) === '[object Float32Array]' // of another realm

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}
