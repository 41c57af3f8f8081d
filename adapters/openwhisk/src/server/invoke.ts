import { randomUUID } from 'node:crypto'
import type { Clock } from '@trimtab/core'
import { ACTIVATION_STATUSES, type Action, type ActivationRecord, type JsonObject } from '../protocol.js'
import type { ActivationLog } from './activation-log.js'
import type { ActivationOutcome, FunctionPlatform } from './platform.js'
import type { Throttle } from './throttle.js'

/** Where activations of a namespace come from and go. */
export interface InvocationContext {
  readonly platform: FunctionPlatform
  readonly activations: ActivationLog
  readonly throttle: Throttle
  readonly clock: Clock
}

/** An activation under way. */
export interface StartedActivation {
  readonly activationId: string
  /** Its record; rejects with a `WhiskError` where it was not run. */
  readonly ended: Promise<ActivationRecord>
}

/**
 * Starts an action, held to the limits of its namespace.
 * @throws {WhiskError} 429; nothing runs
 */
export function startActivation(
  action: Action,
  parameters: JsonObject,
  { platform, activations, throttle, clock }: InvocationContext,
): StartedActivation {
  throttle.enter(platform.limits(action.namespace), clock.now())
  const activationId = newId()
  const own = Object.fromEntries(action.parameters.map(({ key, value }) => [key, value]))
  const run = async (): Promise<ActivationRecord> => {
    const outcome = await platform.invoke({ activationId, action, parameters: { ...own, ...parameters } })
    const activation = recordOf(activationId, action, outcome)
    activations.add(activation)
    return activation
  }
  return { activationId, ended: run().finally(() => throttle.leave()) }
}

/** 32 hexadecimal digits. */
export const newId = (): string => randomUUID().replaceAll('-', '')

function recordOf(activationId: string, action: Action, outcome: ActivationOutcome): ActivationRecord {
  const { namespace, name, version, limits, exec } = action
  const { startMs, endMs, waitTimeMs, initTimeMs, status, timedOut = false, result, logs = [] } = outcome
  const statusCode = ACTIVATION_STATUSES.indexOf(status)
  return {
    namespace,
    name,
    version,
    publish: false,
    subject: namespace,
    activationId,
    start: Math.round(startMs),
    end: Math.round(endMs),
    duration: Math.round(endMs) - Math.round(startMs),
    statusCode,
    response: { status, statusCode, success: statusCode === 0, result },
    logs,
    annotations: [
      { key: 'path', value: `${namespace}/${name}` },
      { key: 'waitTime', value: Math.round(waitTimeMs) },
      { key: 'kind', value: exec.kind },
      { key: 'timeout', value: timedOut },
      { key: 'limits', value: limits },
      ...(initTimeMs === undefined ? [] : [{ key: 'initTime', value: Math.round(initTimeMs) }]),
    ],
  }
}
