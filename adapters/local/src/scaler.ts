import { sleep } from '@trimtab/control'
import {
  createTenantTelemetry,
  type TenantAllocation,
  type TenantRule,
  type TenantTelemetry,
} from '@trimtab/tasks/serverless'
import type { FunctionPool, PoolScale } from './function-pool.js'

/** What was seen of a function in a step, and what it gets for the next. */
export interface ScalerStep {
  /** Its namespace and name: `guest/hello`. */
  readonly name: string
  readonly telemetry: Readonly<TenantTelemetry>
  readonly allocation: Readonly<TenantAllocation>
}

/** Who is scaled, by what, how often. */
export interface ScalerOptions {
  /** As they are in each step. */
  readonly pools: ReadonlyMap<string, FunctionPool>
  /** A rule for a function, which knows that one only. */
  readonly createRule: (name: string) => TenantRule
  readonly stepSeconds: number
  /** Told each step of each function; both objects are overwritten by the next. */
  readonly onStep?: (step: ScalerStep) => void
}

interface Scaled {
  readonly pool: FunctionPool
  readonly rule: TenantRule
  readonly telemetry: TenantTelemetry
  readonly allocation: TenantAllocation
}

/** Gives every function, once a step, what its rule makes of its telemetry. */
export class Scaler {
  readonly #options: ScalerOptions
  readonly #scaled = new Map<string, Scaled>()

  constructor(options: ScalerOptions) {
    this.#options = options
  }

  /** Steps until the signal is given. A rule that fails fails the scaler: functions keep what they have. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#follow()
      await sleep(this.#options.stepSeconds * 1000, signal)
      if (!signal.aborted) this.step()
    }
  }

  /** Takes one step, whose telemetry is that since the last. */
  step(): void {
    this.#follow()
    for (const [name, { pool, rule, telemetry, allocation }] of this.#scaled) {
      pool.step(telemetry)
      rule.decide(telemetry, allocation)
      hold(allocation, telemetry)
      pool.scale = scaleOf(allocation)
      this.#options.onStep?.({ name, telemetry, allocation })
      Object.assign(telemetry, allocation)
    }
  }

  /** Functions that came get a rule of their own; a new version of one goes on with its rule. */
  #follow(): void {
    const { pools, createRule } = this.#options
    for (const name of this.#scaled.keys()) if (!pools.has(name)) this.#scaled.delete(name)
    for (const [name, pool] of pools) {
      const known = this.#scaled.get(name)
      if (known) this.#scaled.set(name, { ...known, pool })
      else {
        const rule = createRule(name)
        rule.beginEpisode()
        const { containers, keepAliveMs } = pool.scale
        const allocation = { containers, shares: CORE_SHARES, keepAliveSeconds: keepAliveMs / 1000 }
        this.#scaled.set(name, { pool, rule, telemetry: { ...createTenantTelemetry(), ...allocation }, allocation })
      }
    }
  }
}

/** Where a rule does not know, what is in force stays so. */
function hold(allocation: TenantAllocation, inForce: Readonly<TenantAllocation>): void {
  for (const name of ['containers', 'shares', 'keepAliveSeconds'] as const)
    if (Number.isNaN(allocation[name])) allocation[name] = inForce[name]
}

const CORE_SHARES = 1024
const SHARES_A_LEVEL = Math.log(1.25) // a step of nice changes a process's weight by a quarter (sched(7))

const scaleOf = ({ containers, shares, keepAliveSeconds }: TenantAllocation): PoolScale => ({
  containers,
  keepAliveMs: keepAliveSeconds * 1000,
  niceness: Math.max(0, Math.min(19, Math.round(Math.log(CORE_SHARES / shares) / SHARES_A_LEVEL))),
})
