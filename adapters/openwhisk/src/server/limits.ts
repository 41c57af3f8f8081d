import type { NamespaceLimits, WhiskActionLimits } from '../protocol.js'
import { malformed } from './whisk-error.js'

/** A stock platform's. */
export const DEFAULT_NAMESPACE_LIMITS: Required<Omit<NamespaceLimits, 'allowedKinds'>> = {
  invocationsPerMinute: 60,
  concurrentInvocations: 30,
  firesPerMinute: 60,
  minActionMemory: 128,
  maxActionMemory: 512,
  minActionTimeout: 100,
  maxActionTimeout: 300_000,
  minActionLogs: 0,
  maxActionLogs: 10,
  minActionConcurrency: 1,
  maxActionConcurrency: 1,
  maxActionInstances: 30,
}

/** What an action has that says nothing. */
export const DEFAULT_ACTION_LIMITS: WhiskActionLimits = {
  timeout: 60_000,
  memory: 256,
  logs: 10,
  concurrency: 1,
}

const BOUNDS = [
  ['timeout', 'minActionTimeout', 'maxActionTimeout'],
  ['memory', 'minActionMemory', 'maxActionMemory'],
  ['logs', 'minActionLogs', 'maxActionLogs'],
  ['concurrency', 'minActionConcurrency', 'maxActionConcurrency'],
  ['instances', undefined, 'maxActionInstances'],
] as const

/**
 * The limits of an action after a change.
 * @param asked  of the request: any of them
 * @throws {WhiskError} 400: outside the namespace's
 */
export function changeLimits(old: WhiskActionLimits, asked: unknown, namespace: NamespaceLimits): WhiskActionLimits {
  if (asked === undefined) return old
  if (typeof asked !== 'object' || asked === null) throw malformed('limits must be an object')
  const changed: Record<string, number> = { ...old }
  for (const [name, least, most] of BOUNDS) {
    const value = (asked as Record<string, unknown>)[name]
    if (value === undefined || value === null) continue
    if (!Number.isInteger(value)) throw malformed(`limits.${name} must be a whole number`)
    const low = (least && namespace[least]) ?? (name === 'logs' ? 0 : 1)
    const high = namespace[most] ?? Number.POSITIVE_INFINITY
    if ((value as number) < low) throw malformed(`${name} ${value} below allowed threshold of ${low}`)
    if ((value as number) > high) throw malformed(`${name} ${value} exceeds allowed threshold of ${high}`)
    changed[name] = value as number
  }
  return changed as unknown as WhiskActionLimits
}
