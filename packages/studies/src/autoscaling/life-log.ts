import {
  type Allocator,
  autoscalingReward,
  type ClusterSimulator,
  dollarsPerHour,
  type GuardExplanation,
  GuardedAllocator,
  type GuardReason,
  MarginAllocator,
  type Prices,
  sloPreservation,
} from '@trimtab/tasks/autoscaling'
import type { PromiseLife } from '../promise/spec.js'
import { meanOf } from '../spread.js'
import type { ExplainedDecision, GuardShares, LearningDays, Timeline } from './report-types.js'

const DAY_SECONDS = 86_400
const BUCKET_SECONDS = 300 // of a timeline
const DECISIONS = 8 // explained of a day

interface Mean {
  sum: number
  steps: number
}

const lifeKey = (controller: string, seed: number): string => `${controller} ${seed}`

/** What is kept of the lives of one application's controllers, beside their records. */
export class LifeLog {
  readonly #app: string
  readonly #prices: Prices
  readonly #firstSeed: number
  readonly #rewards = new Map<string, Mean>() // of judged parts
  readonly #days = new Map<string, DayCount[]>() // of a controller, one a seed
  readonly #timelines = new Map<string, TimelineLog>()
  readonly #decisions: ExplainedDecision[] = []
  readonly #guard = { learning: new GuardCount(), judged: new GuardCount() }

  constructor(app: string, { prices, seeds }: { readonly prices: Prices; readonly seeds: readonly number[] }) {
    this.#app = app
    this.#prices = prices
    this.#firstSeed = seeds[0]!
  }

  /** What is to be called after every step of a life. */
  watch({ controller, seed, part, allocator, simulator }: PromiseLife): () => void {
    const guard = allocator instanceof GuardedAllocator ? allocator : undefined
    const count = this.#guard[part]
    const look =
      part === 'judged' ? this.#judgedLook(controller, seed, allocator, simulator) : this.#day(controller, simulator)
    return () => {
      look()
      if (guard) count.add(guard.explain())
    }
  }

  #day(controller: string, simulator: ClusterSimulator): () => void {
    const days = new DayCount(Math.round(DAY_SECONDS / simulator.options.stepSeconds))
    this.#days.set(controller, [...(this.#days.get(controller) ?? []), days])
    const { truth } = simulator
    return () => days.add(truth.violated, this.#dollars(simulator))
  }

  #judgedLook(controller: string, seed: number, allocator: Allocator, simulator: ClusterSimulator): () => void {
    const { truth, sloMs, options } = simulator
    const reward = { sum: 0, steps: 0 }
    this.#rewards.set(lifeKey(controller, seed), reward)
    const most = Math.round(DAY_SECONDS / options.stepSeconds)
    const timeline = new TimelineLog(Math.round(BUCKET_SECONDS / options.stepSeconds))
    const isFirst = seed === this.#firstSeed
    if (isFirst) this.#timelines.set(controller, timeline)
    const every = Math.floor(most / DECISIONS)
    return () => {
      const preservation = sloPreservation(sloMs, truth.p99Ms)
      reward.sum += autoscalingReward(preservation, truth.cpuUtilisation01, truth.memoryUtilisation01)
      const steps = ++reward.steps
      if (!isFirst || steps > most) return
      timeline.add(simulator, this.#dollars(simulator))
      if (allocator instanceof MarginAllocator && steps % every === 0) {
        this.#decisions.push(this.#explain(allocator, simulator, (steps * options.stepSeconds) / 60))
      }
    }
  }

  #dollars({ truth }: ClusterSimulator): number {
    return dollarsPerHour(this.#prices, truth.requestedCores, truth.requestedMemoryMiB)
  }

  #explain(
    allocator: MarginAllocator,
    { allocation, telemetry, truth, sloMs }: ClusterSimulator,
    minute: number,
  ): ExplainedDecision {
    const { expectedRate, providedRate, p99OverSlo, interval, cheaper } = allocator.explain(allocation)
    return {
      ...{ app: this.#app, minute, ...allocation },
      ...{ expectedRate, providedRate, requestsPerSecond: telemetry.ratePerSecond },
      ...{ predicted: p99OverSlo, interval, truth: truth.p99Ms / sloMs },
      ...(cheaper && { cheaper }),
    }
  }

  /** The papers' reward of 100 judged steps. */
  rewardOf({ controller, seed }: { readonly controller: string; readonly seed: number }): number {
    const { sum, steps } = this.#rewards.get(lifeKey(controller, seed))!
    return (100 * sum) / steps
  }

  /** All but the rewards. */
  build(): {
    readonly timelines: Timeline[]
    readonly days: LearningDays[]
    readonly decisions: ExplainedDecision[]
    readonly guard: GuardShares[]
  } {
    const app = this.#app
    const parts = (['learning', 'judged'] as const).filter((part) => this.#guard[part].steps > 0)
    return {
      timelines: [...this.#timelines].map(([controller, timeline]) => ({ app, controller, ...timeline.build() })),
      days: [...this.#days].map(([controller, days]) => ({ app, controller, ...meanDays(days) })),
      decisions: this.#decisions,
      guard: parts.map((part) => ({ app, part, ...this.#guard[part].shares() })),
    }
  }
}

/** Violations and dollars of a life, day by day; the last day may be shorter. */
class DayCount {
  readonly violations: number[] = []
  readonly dollars: number[] = []
  readonly steps: number[] = []
  readonly #stepsPerDay: number

  constructor(stepsPerDay: number) {
    this.#stepsPerDay = stepsPerDay
  }

  add(isViolated: boolean, dollars: number): void {
    if ((this.steps.at(-1) ?? this.#stepsPerDay) === this.#stepsPerDay) {
      for (const list of [this.violations, this.dollars, this.steps]) list.push(0)
    }
    const day = this.steps.length - 1
    this.steps[day]!++
    this.dollars[day]! += dollars
    if (isViolated) this.violations[day]!++
  }
}

function meanDays(counts: readonly DayCount[]): Pick<LearningDays, 'violationPercent' | 'dollarsPerHour'> {
  const days = counts[0]!.steps
  const mean = (of: (count: DayCount) => readonly number[], scale: number): number[] =>
    days.map((steps, day) => rounded(meanOf(counts.map((count) => (scale * of(count)[day]!) / steps))))
  return {
    violationPercent: mean(({ violations }) => violations, 100),
    dollarsPerHour: mean(({ dollars }) => dollars, 1),
  }
}

const MEANS = ['requestsPerSecond', 'dollarsPerHour', 'cores', 'memoryGiB', 'replicas'] as const

/** Means of a few steps each, and their worst p99. */
class TimelineLog {
  readonly #stepsPerBucket: number
  readonly #worst: number[] = []
  readonly #sums: Record<(typeof MEANS)[number], number[]> = {
    ...{ requestsPerSecond: [], dollarsPerHour: [], cores: [], memoryGiB: [], replicas: [] },
  }
  #steps = 0
  #stepSeconds = 0

  constructor(stepsPerBucket: number) {
    this.#stepsPerBucket = stepsPerBucket
  }

  add({ telemetry, truth, allocation, sloMs, options }: ClusterSimulator, dollars: number): void {
    const bucket = Math.floor(this.#steps++ / this.#stepsPerBucket)
    this.#stepSeconds = options.stepSeconds
    const values = {
      requestsPerSecond: telemetry.ratePerSecond,
      dollarsPerHour: dollars,
      cores: truth.requestedCores,
      memoryGiB: truth.requestedMemoryMiB / 1024,
      replicas: allocation.replicas,
    }
    for (const name of MEANS) this.#sums[name][bucket] = (this.#sums[name][bucket] ?? 0) + values[name]
    this.#worst[bucket] = Math.max(this.#worst[bucket] ?? 0, truth.p99Ms / sloMs)
  }

  build(): Omit<Timeline, 'app' | 'controller'> {
    const last = this.#steps % this.#stepsPerBucket || this.#stepsPerBucket
    const mean = (name: (typeof MEANS)[number]): number[] =>
      this.#sums[name].map((sum, i, all) => rounded(sum / (i === all.length - 1 ? last : this.#stepsPerBucket)))
    return {
      stepSeconds: this.#stepsPerBucket * this.#stepSeconds,
      requestsPerSecond: mean('requestsPerSecond'),
      p99OverSlo: this.#worst.map(rounded),
      dollarsPerHour: mean('dollarsPerHour'),
      cores: mean('cores'),
      memoryGiB: mean('memoryGiB'),
      replicas: mean('replicas'),
    }
  }
}

/** What a guard served and why. */
class GuardCount {
  steps = 0
  readonly #served = { allocator: 0, clamped: 0, rule: 0 }
  readonly #reasons: Partial<Record<GuardReason, number>> = {}

  add({ served, reason }: GuardExplanation): void {
    this.steps++
    this.#served[served]++
    if (reason !== 'within') this.#reasons[reason] = (this.#reasons[reason] ?? 0) + 1
  }

  shares(): Pick<GuardShares, 'served' | 'reasons'> {
    const percent = <T extends object>(counts: T): T =>
      Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, (100 * count) / this.steps])) as T
    return { served: percent(this.#served), reasons: percent(this.#reasons) }
  }
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000
