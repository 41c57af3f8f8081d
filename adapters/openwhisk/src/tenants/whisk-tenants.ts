import { type Clock, Problems } from '@trimtab/core'
import type { TenantAllocation, TenantTelemetry } from '@trimtab/tasks/serverless'
import type { AllocationChange, AllocationInForce, TenantActuator } from '../actuation/tenant-actuator.js'
import type { ActionSample, TelemetryReading, TelemetrySource } from '../telemetry/reading.js'
import type { TenantPlatform } from './run-tenants.js'

/** A function that is managed. */
export interface Tenant {
  /** `hello`, or `package/hello`. */
  readonly action: string
  readonly sloMs: number
}

/** What joins telemetry and actuation. */
export interface WhiskTenantsOptions {
  readonly tenants: readonly Tenant[]
  readonly source: TelemetrySource
  readonly actuator: TenantActuator
  /** Milliseconds; default: the host's. */
  readonly clock?: Clock
}

/** The functions of one namespace for `runTenants`: telemetry of each in, an allocation for each out. It decides nothing. */
export class WhiskTenants implements TenantPlatform<AllocationChange> {
  readonly #options: WhiskTenantsOptions
  readonly #clock: Clock
  readonly #startedAtMs: number
  readonly #inForce = new Map<string, AllocationInForce>()

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: WhiskTenantsOptions) {
    const problems = new Problems()
    problems.checkKeys(options, ['tenants', 'source', 'actuator', 'clock'], 'options')
    const names = options.tenants.map(({ action }) => action)
    problems.check(
      new Set(names).size === names.length,
      `tenants must be of different actions, got ${names.join(', ')}`,
    )
    for (const { action, sloMs } of options.tenants)
      problems.check(sloMs > 0, `tenants: sloMs of ${action} must be > 0, got ${sloMs}`)
    problems.throwIfAny('tenants')
    this.#options = options
    this.#clock = options.clock ?? performance
    this.#startedAtMs = this.#clock.now()
  }

  /** Telemetry of the time since the last call, by action. @throws {AdapterError} as the source; the next call covers this time too */
  async observe(signal?: AbortSignal): Promise<ReadonlyMap<string, TenantTelemetry>> {
    return this.#toTelemetry(await this.#options.source.read(signal))
  }

  /** Brings allocations into force. @throws {AdapterError} as the actuator; nothing has changed */
  async apply(
    allocations: ReadonlyMap<string, Readonly<TenantAllocation>>,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, AllocationChange>> {
    const { actuator, source } = this.#options
    const changes = await actuator.apply(allocations, signal)
    for (const [action, { inForce, warmUps }] of changes) {
      this.#inForce.set(action, inForce)
      for (const activationId of warmUps) source.ignore?.(activationId)
    }
    return changes
  }

  #toTelemetry(reading: TelemetryReading): ReadonlyMap<string, TenantTelemetry> {
    const timeSeconds = (this.#clock.now() - this.#startedAtMs) / 1000
    return new Map(
      this.#options.tenants.map(({ action, sloMs }) => {
        const inForce = this.#inForce.get(action)
        return [
          action,
          telemetryOf({ timeSeconds, sloMs, seconds: reading.seconds, sample: reading.of(action), inForce }),
        ]
      }),
    )
  }
}

interface Known {
  readonly timeSeconds: number
  readonly sloMs: number
  readonly seconds: number
  readonly sample: ActionSample | undefined
  readonly inForce: AllocationInForce | undefined
}

/** What a platform does not say is NaN: its CPU and memory in use, queues, containers that are warm. */
function telemetryOf({ timeSeconds, sloMs, seconds, sample, inForce }: Known): TenantTelemetry {
  const unknown = Number.NaN
  return {
    timeSeconds,
    stepSeconds: seconds,
    arrivals: sample?.activations ?? unknown,
    demandCores: unknown,
    demandContainers: sample ? sample.busySeconds / seconds : unknown,
    p99Ms: sample?.p99Ms ?? unknown,
    sloMs,
    usedCores: unknown,
    usedMemoryMiB: unknown,
    memoryMiBPerContainer: inForce?.memoryMiB ?? unknown,
    shares: inForce?.shares ?? unknown,
    containers: inForce?.containers ?? unknown,
    keepAliveSeconds: unknown,
    warmContainers: unknown,
    startingContainers: unknown,
    coldStarts: sample?.coldStarts ?? unknown,
    coldStartSeconds: sample?.initSeconds ?? unknown,
    queued: unknown,
    dropped: unknown,
    occupancy01: unknown,
    ioShare01: unknown,
  }
}
