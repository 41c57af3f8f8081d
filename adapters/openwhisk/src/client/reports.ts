// What a platform answered, read with care: whatever is not there was not said.
import { AdapterError } from '@trimtab/core'
import type { NamespaceLimits, WhiskActionLimits } from '../protocol.js'

/** An action as it is in force. */
export interface ActionReport {
  /** `hello`, or `package/hello`. */
  readonly name: string
  readonly version: string
  /** Absent: this platform does not know it. */
  readonly limits: Partial<WhiskActionLimits>
}

/** One activation that has ended. `undefined`: the record does not say, which is never 0. */
export interface ActivationReport {
  readonly activationId: string
  /** `hello`, or `package/hello`. */
  readonly action: string
  /** When it began to run, unix ms. */
  readonly startMs: number
  /** From there to its end, the initialisation included. */
  readonly durationMs: number | undefined
  /** From its arrival to its start. */
  readonly waitTimeMs: number | undefined
  /** Of a cold start. */
  readonly initTimeMs: number | undefined
  /** Whether a container was started for it. */
  readonly isCold: boolean | undefined
}

type Fields = Readonly<Record<string, unknown>>

const LIMITS = ['timeout', 'memory', 'logs', 'concurrency', 'instances'] as const

/** @throws {AdapterError} `whisk_answer_invalid` */
export function readAction(value: unknown): ActionReport {
  const { name, namespace, version, limits } = fieldsOf(value)
  if (typeof name !== 'string' || typeof version !== 'string')
    throw new AdapterError('whisk_answer_invalid', 'an action must have a name and a version (is the URL right?)')
  return { name: inPackage(namespace, name), version, limits: numbersOf(limits ?? {}, LIMITS) }
}

const NAMESPACE_LIMITS = [
  'invocationsPerMinute',
  'concurrentInvocations',
  'firesPerMinute',
  'minActionMemory',
  'maxActionMemory',
  'minActionTimeout',
  'maxActionTimeout',
  'minActionLogs',
  'maxActionLogs',
  'minActionConcurrency',
  'maxActionConcurrency',
  'maxActionInstances',
] as const

/** @throws {AdapterError} `whisk_answer_invalid` */
export const readNamespaceLimits = (value: unknown): NamespaceLimits => numbersOf(value, NAMESPACE_LIMITS)

/** @returns undefined: no record of an activation that has ended */
export function readActivation(value: unknown): ActivationReport | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { activationId, name, start, end, duration, annotations } = value as Fields
  const startMs = numberOf(start)
  if (typeof activationId !== 'string' || typeof name !== 'string' || startMs === undefined) return undefined
  const said = Array.isArray(annotations) ? annotations : []
  const annotation = (key: string): unknown => said.find((each) => each?.key === key)?.value
  const endMs = numberOf(end)
  const path = annotation('path')
  const waitTimeMs = numberOf(annotation('waitTime'))
  const initTimeMs = numberOf(annotation('initTime'))
  return {
    activationId,
    action: typeof path === 'string' && path.includes('/') ? path.slice(path.indexOf('/') + 1) : name,
    startMs,
    durationMs: numberOf(duration) ?? (endMs !== undefined && endMs >= startMs ? endMs - startMs : undefined),
    waitTimeMs,
    initTimeMs,
    // Only a cold start has an initTime; that a record without one was warm is known only where its annotations are whole.
    isCold: initTimeMs !== undefined ? true : waitTimeMs !== undefined ? false : undefined,
  }
}

/** An action's namespace is `guest` or, in a package, `guest/package`. */
function inPackage(namespace: unknown, name: string): string {
  const [, inside] = typeof namespace === 'string' ? namespace.split('/') : []
  return inside === undefined ? name : `${inside}/${name}`
}

function numbersOf<Name extends string>(value: unknown, names: readonly Name[]): Partial<Record<Name, number>> {
  const fields = fieldsOf(value)
  const known = names.map((name) => [name, numberOf(fields[name])]).filter(([, number]) => number !== undefined)
  return Object.fromEntries(known)
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AdapterError(
      'whisk_answer_invalid',
      'no answer of OpenWhisk’s API: an object is expected (is the URL right?)',
    )
  return value as Fields
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
