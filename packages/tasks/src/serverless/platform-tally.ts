import { mean } from '@trimtab/core'
import { heldContainers, isSloViolation, tenantValue, VIOLATION_PRICE } from './outcome.js'
import type { ServerlessPlatform } from './platform.js'

/** What a platform came to under some control: means over the steps of all tenants that were there, unless told otherwise. */
export interface PlatformRecord {
  /** J = reward − .3 · violations. */
  readonly score: number
  /** r = .7 SP + .3 mean RU. */
  readonly reward: number
  /** Share of steps that broke the SLO, and that of the tenant with the largest one. */
  readonly violation01: number
  readonly worstViolation01: number
  /** p99 over SLO, of steps with requests: their mean, and what 95 % stay below. */
  readonly p99OverSlo: number
  readonly p95P99OverSlo: number
  /** Shares of a container, and containers held. */
  readonly shares: number
  readonly containers: number
  /** Starts of containers in an hour. */
  readonly coldStartsPerHour: number
  /** Memory that containers hold. */
  readonly memoryMiB: number
}

/** Counts step by step what platforms come to, whoever controls them. */
export class PlatformTally {
  readonly #steps: number[] = [] // of each tenant
  readonly #violations: number[] = []
  readonly #ratios: number[] = []
  readonly #sums = { reward: 0, shares: 0, containers: 0, coldStarts: 0, seconds: 0, memoryMiB: 0 }

  /** Tenants so far. */
  get tenants(): number {
    return this.#steps.length
  }

  /** Takes in the step just ended. @param firstTenant  where the platform's tenants stand among those of several */
  note(platform: ServerlessPlatform, firstTenant = 0): void {
    const sums = this.#sums
    for (const [i, t] of platform.telemetry.entries()) {
      const tenant = firstTenant + i
      this.#steps[tenant] ??= 0
      this.#violations[tenant] ??= 0
      if (!platform.isPresent(i)) continue
      this.#steps[tenant]!++
      if (isSloViolation(t)) this.#violations[tenant]!++
      sums.reward += tenantValue(t)
      if (t.p99Ms > 0) this.#ratios.push(t.p99Ms / t.sloMs)
      sums.shares += t.shares
      sums.containers += heldContainers(t)
      sums.coldStarts += t.coldStarts
      sums.seconds += t.stepSeconds
      sums.memoryMiB += heldContainers(t) * t.memoryMiBPerContainer
    }
  }

  /** What it came to so far. */
  record(): PlatformRecord {
    const sums = this.#sums
    const all = this.#steps.reduce((a, b) => a + b, 0)
    const reward = sums.reward / all
    const violation01 = this.#violations.reduce((a, b) => a + b, 0) / all
    const ratios = Float64Array.from(this.#ratios).sort()
    return {
      ...{ score: reward - VIOLATION_PRICE * violation01, reward, violation01 },
      worstViolation01: Math.max(...this.#violations.map((count, i) => count / Math.max(1, this.#steps[i]!))),
      p99OverSlo: mean(this.#ratios),
      p95P99OverSlo: ratios[Math.ceil(0.95 * ratios.length) - 1] ?? Number.NaN,
      shares: sums.shares / all,
      containers: sums.containers / all,
      coldStartsPerHour: (3600 * sums.coldStarts) / sums.seconds,
      memoryMiB: sums.memoryMiB / all,
    }
  }
}
