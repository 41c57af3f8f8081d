import { type Sleep, sleep as timerSleep } from '@trimtab/control'
import { type Clock, Problems, TrimtabError } from '@trimtab/core'
import type { TenantAllocation, TenantTelemetry } from '@trimtab/tasks/serverless'
import type { AllocationChange, AllocationInForce, TenantActuator } from './actuation/tenant-actuator.js'
import { type ActionSample, type TelemetryReading, type TelemetrySource, UNKNOWN } from './telemetry/reading.js'

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

/** Who decides: a rule, a policy, a coordinator of many. */
export interface TenantDecider {
  /** Fills `out` of what is known of an action; what it leaves NaN stays as it is. */
  decide(action: string, telemetry: Readonly<TenantTelemetry>, out: TenantAllocation): void
}

/** One step of all tenants. */
export interface TenantTick {
  /** By action. NaN: not known. */
  readonly telemetry: ReadonlyMap<string, TenantTelemetry>
  /** What was decided: nothing for an action of which nothing is known, it is left as it is. */
  readonly allocations: ReadonlyMap<string, TenantAllocation>
  readonly changes: ReadonlyMap<string, AllocationChange>
  /** What could not be read or changed as a whole; the next step tries again. */
  readonly errors: readonly TrimtabError[]
}

/**
 * The functions of one namespace as a coordinator sees them: telemetry of each in, an allocation for each out. It decides nothing.
 *
 * @example
 * for await (const { allocations } of tenants.run(decider, { stepMs: 10_000, signal })) console.log(allocations)
 */
export class WhiskTenants {
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

  /** Observes, lets decide and applies, every `stepMs`, until the signal aborts. What goes wrong is in the tick, and the loop goes on. */
  async *run(
    decider: TenantDecider,
    {
      stepMs,
      signal,
      sleep = timerSleep,
    }: { readonly stepMs: number; readonly signal: AbortSignal; readonly sleep?: Sleep },
  ): AsyncGenerator<TenantTick, void, void> {
    while (!signal.aborted) {
      const beganAtMs = this.#clock.now()
      const tick = await this.#step(decider, signal)
      if (signal.aborted) return
      yield tick
      await sleep(Math.max(0, beganAtMs + stepMs - this.#clock.now()), signal)
    }
  }

  async #step(decider: TenantDecider, signal: AbortSignal): Promise<TenantTick> {
    const errors: TrimtabError[] = []
    const tried = async <T>(work: Promise<T>, otherwise: T): Promise<T> => {
      try {
        return await work
      } catch (error) {
        if (error instanceof TrimtabError) errors.push(error)
        else if (!signal.aborted) throw error
        return otherwise
      }
    }
    const telemetry = await tried(this.observe(signal), this.#toTelemetry(UNKNOWN))
    const allocations = new Map<string, TenantAllocation>()
    for (const [action, its] of telemetry) {
      if (Number.isNaN(its.demandContainers)) continue // what rules keep in mind must not be spoilt by it
      const out: TenantAllocation = { containers: Number.NaN, shares: Number.NaN, keepAliveSeconds: Number.NaN }
      decider.decide(action, its, out)
      allocations.set(action, out)
    }
    const changes = await tried(this.apply(allocations, signal), new Map<string, AllocationChange>())
    return { telemetry, allocations, changes, errors }
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
