import { ConfigError, Problems } from '@trimtab/core'

/** What the scaler is told of one model partition on its GPU. */
export interface PartitionLatency {
  /** For messages: the model, or model and stage. */
  readonly name: string
  readonly sloLatencyMs: number
  /**
   * The model's latency as measured now, end to end. 0 when nothing was asked of it lately: it holds nothing back.
   * `undefined` or NaN when it is not known: the clock goes to the maximum.
   */
  readonly latencyMs: number | undefined
  /**
   * Share of that latency that grows in proportion as the clock falls: the partition's share of the model's time, times its
   * sensitivity score / 2 where that is known. 1, the default, is never optimistic for a model that does not wait in queues.
   */
  readonly weight?: number
}

/** Clocks and margins of the MIAD scaler. */
export interface FrequencyScalerOptions {
  readonly minimumMhz: number
  /** Where it starts, and what it falls back to. */
  readonly maximumMhz: number
  /** STEP; a sixteenth of the maximum by default. */
  readonly stepMhz?: number
  /** Slack below this scales up, and is left over by scaling down; 0.05 (Algorithm 6.3). */
  readonly slackMargin?: number
  /** Times up in a row at the maximum before more instances are asked for; 5. */
  readonly scaleOutAfter?: number
}

/** What the scaler wants until its next decision, and why. */
export interface FrequencyDecision {
  readonly action: 'up' | 'down' | 'same'
  readonly clockMhz: number
  /** Whether the clock has to be set: it is not what it was. */
  readonly isChanged: boolean
  /** Smallest (SLO − latency) / SLO of all partitions; 1 when none was asked anything; NaN when one is not known. */
  readonly slack: number
  /** The partition that decided. */
  readonly decidedBy: string | undefined
  /** Partitions whose latency is not known: the reason for the maximum clock. */
  readonly unknown: readonly string[]
  /** The clock cannot help any more: replicate the model in `decidedBy`. */
  readonly isScaleOutNeeded: boolean
}

/**
 * Multiplicative increase, additive decrease of one GPU's clock (Algorithm 6.3); `decide` is called once a second.
 *
 * Read as the text means it: UP when any partition's slack is small, DOWN only when **all** leave more slack than the slower clock
 * will cost (the print lets any one partition lower the clock for all), doubling is capped before it is set, and nothing is set when
 * nothing changed.
 *
 * Source: dissertation 6.3.4.
 */
export class FrequencyScaler {
  readonly minimumMhz: number
  readonly maximumMhz: number
  readonly stepMhz: number
  readonly #margin: number
  readonly #scaleOutAfter: number
  #clockMhz: number
  #upsAtMaximum = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: FrequencyScalerOptions) {
    const { minimumMhz, maximumMhz, stepMhz = maximumMhz / 16, slackMargin = 0.05, scaleOutAfter = 5 } = options
    const problems = new Problems()
    problems.check(
      minimumMhz > 0 && maximumMhz < Infinity,
      `clocks must be finite and > 0, got ${minimumMhz} … ${maximumMhz} MHz`,
    )
    problems.check(minimumMhz <= maximumMhz, `minimumMhz ${minimumMhz} is above maximumMhz ${maximumMhz}`)
    problems.check(stepMhz > 0, `stepMhz must be > 0, got ${stepMhz}`)
    problems.check(slackMargin >= 0 && slackMargin < 1, `slackMargin must be in [0, 1), got ${slackMargin}`)
    problems.check(
      Number.isInteger(scaleOutAfter) && scaleOutAfter > 0,
      `scaleOutAfter must be a count > 0, got ${scaleOutAfter}`,
    )
    problems.throwIfAny('frequency scaler')
    this.minimumMhz = minimumMhz
    this.maximumMhz = maximumMhz
    this.stepMhz = stepMhz
    this.#margin = slackMargin
    this.#scaleOutAfter = scaleOutAfter
    this.#clockMhz = maximumMhz
  }

  /** The clock it wants now; the maximum until the first decision. */
  get clockMhz(): number {
    return this.#clockMhz
  }

  /** @throws {ConfigError} `config_invalid` for an SLO that is not > 0 */
  decide(partitions: readonly PartitionLatency[]): FrequencyDecision {
    let slack = 1
    let canSlow = true
    let decidedBy: string | undefined
    const unknown: string[] = []
    for (const { name, sloLatencyMs, latencyMs, weight = 1 } of partitions) {
      if (!(sloLatencyMs > 0)) {
        throw new ConfigError('config_invalid', `${name}: sloLatencyMs must be > 0, got ${sloLatencyMs}`)
      }
      if (latencyMs === undefined || Number.isNaN(latencyMs)) {
        unknown.push(name)
        continue
      }
      const own = (sloLatencyMs - latencyMs) / sloLatencyMs
      const degradation = (weight * latencyMs * this.stepMhz) / this.#clockMhz / sloLatencyMs
      canSlow &&= degradation < own - this.#margin
      if (own < slack) {
        slack = own
        decidedBy = name
      }
    }
    if (unknown.length > 0) return this.#move('up', this.maximumMhz, NaN, unknown[0], unknown)
    if (slack < this.#margin) return this.#move('up', this.#clockMhz * 2, slack, decidedBy, unknown)
    if (canSlow) return this.#move('down', this.#clockMhz - this.stepMhz, slack, decidedBy, unknown)
    return this.#move('same', this.#clockMhz, slack, decidedBy, unknown)
  }

  /** Back to the maximum, as after start. */
  reset(): void {
    this.#clockMhz = this.maximumMhz
    this.#upsAtMaximum = 0
  }

  #move(
    action: FrequencyDecision['action'],
    wantedMhz: number,
    slack: number,
    decidedBy: string | undefined,
    unknown: readonly string[],
  ): FrequencyDecision {
    const before = this.#clockMhz
    this.#clockMhz = Math.min(this.maximumMhz, Math.max(this.minimumMhz, wantedMhz))
    // A latency that nobody knows is no reason for more instances.
    const isUpAtMaximum = action === 'up' && before === this.maximumMhz && unknown.length === 0
    this.#upsAtMaximum = isUpAtMaximum ? this.#upsAtMaximum + 1 : 0
    return {
      action,
      clockMhz: this.#clockMhz,
      isChanged: this.#clockMhz !== before,
      slack,
      decidedBy,
      unknown,
      isScaleOutNeeded: this.#upsAtMaximum >= this.#scaleOutAfter,
    }
  }
}
