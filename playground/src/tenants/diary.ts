// What became of every tenant under one controller, step by step.
import {
  heldContainers,
  isSloViolation,
  type PlatformRecord,
  PlatformTally,
  type ServerlessPlatform,
} from 'trimtab/tasks/serverless'

export interface DiaryStep {
  /** [tenant] p99 over SLO; 0 without requests, −1 where the tenant is not there. */
  readonly p99OverSlo: readonly number[]
  readonly brokenPercent: number
  readonly containers: number
  readonly score: number
}

export class Diary {
  readonly steps: DiaryStep[] = []
  readonly #tally = new PlatformTally()
  readonly #broken: number[] = []

  note(platform: ServerlessPlatform): void {
    this.#tally.note(platform)
    const present = platform.telemetry.filter((_, i) => platform.isPresent(i))
    for (const [i, telemetry] of platform.telemetry.entries())
      this.#broken[i] = (this.#broken[i] ?? 0) + (platform.isPresent(i) && isSloViolation(telemetry) ? 1 : 0)
    this.steps.push({
      p99OverSlo: platform.telemetry.map(({ p99Ms, sloMs }, i) =>
        platform.isPresent(i) ? (p99Ms > 0 ? p99Ms / sloMs : 0) : -1,
      ),
      brokenPercent: (100 * present.filter(isSloViolation).length) / present.length,
      containers: present.reduce((sum, telemetry) => sum + heldContainers(telemetry), 0),
      score: this.#tally.record().score,
    })
  }

  record(): PlatformRecord {
    return this.#tally.record()
  }

  /** The tenant whose SLO was broken most often, by its number. */
  worstTenant(): number {
    return this.#broken.indexOf(Math.max(...this.#broken))
  }
}
