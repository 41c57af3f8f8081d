import { type Sleep, sleep as timerSleep } from '@trimtab/control'
import { type Clock, TrimtabError } from '@trimtab/core'
import type { TenantAllocation, TenantTelemetry } from '@trimtab/tasks/serverless'

/** A platform as whoever scales its functions meets it; functions go by names. */
export interface TenantPlatform<Change> {
  /** Telemetry of the time since the last call. @throws {AdapterError} the next call covers this time too */
  observe(signal: AbortSignal): Promise<ReadonlyMap<string, TenantTelemetry>>
  /**
   * Brings allocations into force; what one leaves NaN stays as it is.
   * @returns what came of each; @throws {AdapterError} nothing has changed
   */
  apply(
    allocations: ReadonlyMap<string, Readonly<TenantAllocation>>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Change>>
}

/** What is decided in a step. */
export interface TenantDecisions {
  /** By name. Who has none stays as it is. */
  readonly allocations: ReadonlyMap<string, TenantAllocation>
  /** Why another decided than was meant to, or nobody, by name. */
  readonly fallbacks: ReadonlyMap<string, string>
}

/** Who decides for all functions of a platform: rules, or a policy of them all. */
export interface TenantDecider {
  /** From the step just ended of all functions there are, by name; who is missing is gone. */
  decide(telemetry: ReadonlyMap<string, Readonly<TenantTelemetry>>): TenantDecisions
  /** May be called twice. */
  dispose?(): void
}

/** One step of all functions. */
export interface TenantTick<Change> extends TenantDecisions {
  /** By name; NaN: not known. Empty where the platform could not be observed. */
  readonly telemetry: ReadonlyMap<string, TenantTelemetry>
  readonly changes: ReadonlyMap<string, Change>
  /** What could not be read or changed as a whole; the next step tries again. */
  readonly errors: readonly TrimtabError[]
}

/** How a loop passes its time. */
export interface RunTenantsOptions {
  readonly stepMs: number
  readonly signal: AbortSignal
  /** Milliseconds; default: the host's. */
  readonly clock?: Clock
  readonly sleep?: Sleep
}

/**
 * Observes a platform, lets decide and applies that, every `stepMs`, until the signal aborts. What goes wrong with the platform is in the
 * tick, and the loop goes on; a decider that fails fails the loop, and functions keep what they have.
 *
 * @example
 * for await (const { allocations } of runTenants(tenants, decider, { stepMs: 10_000, signal })) console.log(allocations)
 */
export async function* runTenants<Change>(
  platform: TenantPlatform<Change>,
  decider: TenantDecider,
  { stepMs, signal, clock = performance, sleep = timerSleep }: RunTenantsOptions,
): AsyncGenerator<TenantTick<Change>, void, void> {
  while (!signal.aborted) {
    const beganAtMs = clock.now()
    const tick = await step(platform, decider, signal)
    if (signal.aborted) return
    yield tick
    await sleep(Math.max(0, beganAtMs + stepMs - clock.now()), signal)
  }
}

async function step<Change>(
  platform: TenantPlatform<Change>,
  decider: TenantDecider,
  signal: AbortSignal,
): Promise<TenantTick<Change>> {
  const errors: TrimtabError[] = []
  const tried = async <T>(work: Promise<T>): Promise<T | undefined> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof TrimtabError) errors.push(error)
      else if (!signal.aborted) throw error
      return undefined
    }
  }
  const telemetry = await tried(platform.observe(signal))
  const { allocations, fallbacks } = telemetry ? decider.decide(telemetry) : NOTHING_DECIDED
  const changes = await tried(platform.apply(allocations, signal))
  return { telemetry: telemetry ?? new Map(), allocations, fallbacks, changes: changes ?? new Map(), errors }
}

const NOTHING_DECIDED: TenantDecisions = { allocations: new Map(), fallbacks: new Map() }
