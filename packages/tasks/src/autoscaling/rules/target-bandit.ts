import { type Core, Random } from '@trimtab/core'
import { DEFAULT_PRICES } from '../cost.js'
import { type Allocation, isMeasuredViolation, type Telemetry } from '../telemetry.js'
import { CPU_AUTOSCALER_READS, CpuAutoscaler, demandedCores } from './cpu-autoscaler.js'
import { MEMORY_HEADROOM_READS, MemoryHeadroom } from './memory-headroom.js'
import type { Rule, RuleCluster } from './rule.js'

/** What an operator sets of an HPA that finds its target itself. */
export interface TargetBanditSettings {
  /** CPU request and limit of a replica, cores. */
  readonly podCores: number
  /** Targets to choose from, CPU use over request, percent, in rising order. */
  readonly targetsPercent: readonly number[]
  /** How long a target is held before it is judged. */
  readonly holdSeconds: number
  /** Price of all steps violated, in units of what the CPU in use costs. */
  readonly penalty: number
  /** Memory limit over the largest recent use. */
  readonly headroom: number
  readonly seed: number
}

const STREAM = 105
/** HPA's own target; others are had by scaling the use that it is told. */
const BASE_PERCENT = 50
/** A hold ends early once this share of its steps is violated: the target has lost. The p99 of few requests is above an SLO by chance. */
const LOST01 = 0.15
/** Weight of the past that each hold leaves: the load changes. */
const KEPT = 0.98
/** The least that rewards of one target are taken to scatter by. */
const LEAST_DEVIATION = 0.1

interface Arm {
  weight: number
  mean: number
}

/**
 * HPA on CPU whose target a bandit chooses on line: Thompson sampling over a handful of targets, each held for some time. The
 * reward of a hold is minus what was paid, in units of what the CPU in use costs, minus a penalty for measured violations. Targets
 * are first tried from the lowest on, up to the first that breaks the SLO too often.
 */
export class TargetBandit implements Rule {
  readonly name = 'bandit'
  readonly reads: readonly (keyof Telemetry)[] = [
    ...CPU_AUTOSCALER_READS,
    'droppedRequests',
    ...MEMORY_HEADROOM_READS,
    'requests',
    'p99Ms',
    'sloMs',
  ]
  readonly settings: TargetBanditSettings
  readonly #hpa: CpuAutoscaler
  readonly #memory: MemoryHeadroom
  readonly #random: Random
  readonly #arms: readonly Arm[]
  readonly #holdSteps: number
  #squares = 0 // of deviations within arms, for the scatter of a reward
  #squaresWeight = 0
  #chosen = 0
  #hasLost = false // whether trying upwards has come to its end
  #steps = 0
  #paid = 0 // core-steps, memory as cores of the same price
  #used = 0 // core-steps
  #violations = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(core: Core, { bounds, resize, stepSeconds }: RuleCluster, settings: TargetBanditSettings) {
    this.settings = settings
    this.#hpa = new CpuAutoscaler(bounds, BASE_PERCENT)
    this.#memory = new MemoryHeadroom(settings.headroom, resize)
    this.#random = new Random(core, settings.seed, STREAM)
    this.#arms = settings.targetsPercent.map(() => ({ weight: 0, mean: 0 }))
    this.#holdSteps = Math.max(1, Math.round(settings.holdSeconds / stepSeconds))
  }

  /** The target of now, percent. */
  get targetPercent(): number {
    return this.settings.targetsPercent[this.#chosen]!
  }

  observe(t: Readonly<Telemetry>): void {
    this.#memory.observe(t) // a past under other targets says nothing of these
  }

  allocate(t: Readonly<Telemetry>, out: Allocation): void {
    this.observe(t)
    this.#judge(t)
    out.coresPerReplica = this.settings.podCores
    out.replicas = this.#hpa.replicas(t, out.replicas, (demandedCores(t) * BASE_PERCENT) / this.targetPercent)
    out.memoryMiBPerReplica = this.#memory.memoryMiB(t.memoryMiBPerReplica)
  }

  /** Counts a step in, and chooses anew when the hold is over. */
  #judge(t: Readonly<Telemetry>): void {
    const pods = t.readyReplicas + t.startingReplicas
    const { perCore, perGiB } = DEFAULT_PRICES
    this.#steps++
    this.#paid += pods * (t.coresPerReplica + ((perGiB / perCore) * t.memoryMiBPerReplica) / 1024)
    this.#used += t.usedCores
    if (isMeasuredViolation(t)) this.#violations++
    const isLost = this.#violations > LOST01 * this.#holdSteps
    if (this.#steps < this.#holdSteps && !isLost) return
    if (this.#used > 0) this.#learn(isLost) // a hold without traffic says nothing
    this.#chosen = this.#choose()
    this.#steps = 0
    this.#paid = 0
    this.#used = 0
    this.#violations = 0
  }

  #learn(isLost: boolean): void {
    const reward = -this.#paid / this.#used - (this.settings.penalty * this.#violations) / this.#steps
    for (const arm of this.#arms) arm.weight *= KEPT
    const arm = this.#arms[this.#chosen]!
    if (arm.weight > 0) {
      this.#squares = KEPT * this.#squares + (reward - arm.mean) ** 2
      this.#squaresWeight = KEPT * this.#squaresWeight + 1
    }
    arm.weight++
    arm.mean += (reward - arm.mean) / arm.weight
    if (isLost) this.#hasLost = true
  }

  #choose(): number {
    const untried = this.#arms.findIndex(({ weight }) => weight === 0)
    if (untried >= 0 && !this.#hasLost) return untried
    const scatter = this.#squaresWeight > 0 ? Math.sqrt(this.#squares / this.#squaresWeight) : 0
    const deviation = Math.max(LEAST_DEVIATION, scatter)
    let best = 0
    let bestDraw = Number.NEGATIVE_INFINITY
    for (const [i, { weight, mean }] of this.#arms.entries()) {
      if (weight === 0) continue
      const draw = this.#random.normal(mean, deviation / Math.sqrt(weight))
      if (draw > bestDraw) [best, bestDraw] = [i, draw]
    }
    return best
  }

  reset(): void {
    this.#hpa.reset()
    this.#memory.reset()
    this.#random.reseed(this.settings.seed, STREAM)
    for (const arm of this.#arms) Object.assign(arm, { weight: 0, mean: 0 })
    this.#squares = 0
    this.#squaresWeight = 0
    this.#chosen = 0
    this.#hasLost = false
    this.#steps = 0
    this.#paid = 0
    this.#used = 0
    this.#violations = 0
  }

  dispose(): void {
    this.#random.dispose()
  }
}
