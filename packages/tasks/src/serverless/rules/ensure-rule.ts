import type { TenantAllocation, TenantRule, TenantTelemetry } from '../telemetry.js'
import { containersFor } from './containers-for.js'

/** What an `EnsureRule` is set to. */
export interface EnsureSettings {
  /** c in R + c√R. */
  readonly margin: number
  /** How far the p99 may lie above the isolated one, as a share of it, before shares rise: .15, or .25 for use before latency. */
  readonly degradation01: number
  /** By how much shares rise or fall in a step. */
  readonly sharesStep: number
  readonly keepAliveSeconds: number
}

/** Shares fall where latency is no worse than this much of the degradation that raises them. */
const CALM01 = 0.5
const LEAST_SHARES = 128

/**
 * In the manner of ENSURE (Suresh et al., ACSOS 2020; the paper's heuristic of 4.5): R + c√R containers for the demand of the last
 * step; shares rise while latency is worse than a threshold, and fall while it is well below.
 */
export class EnsureRule implements TenantRule {
  readonly name = 'ensure'
  readonly #settings: EnsureSettings
  readonly #sloFactor: number

  /** @param sloFactor  SLO over isolated p99 */
  constructor(settings: EnsureSettings, sloFactor: number) {
    this.#settings = settings
    this.#sloFactor = sloFactor
  }

  decide(t: Readonly<TenantTelemetry>, out: TenantAllocation): void {
    const { margin, degradation01, sharesStep, keepAliveSeconds } = this.#settings
    const degradation = (t.p99Ms * this.#sloFactor) / t.sloMs - 1 // NaN without a request: shares stay
    const shares = t.shares > 0 ? t.shares : LEAST_SHARES
    if (degradation > degradation01) out.shares = shares + sharesStep
    else if (degradation < CALM01 * degradation01) out.shares = Math.max(LEAST_SHARES, shares - sharesStep)
    else out.shares = shares
    out.containers = containersFor(t.demandContainers, margin)
    out.keepAliveSeconds = keepAliveSeconds
  }

  beginEpisode(): void {}
}
