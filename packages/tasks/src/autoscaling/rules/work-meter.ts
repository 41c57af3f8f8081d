import type { Telemetry } from '../telemetry.js'

/** What a `WorkMeter` measures from. */
export const WORK_METER_READS: readonly (keyof Telemetry)[] = [
  'requests',
  'ratePerSecond',
  'usedCores',
  'readyReplicas',
  'startingReplicas',
  'coresPerReplica',
  'oomKills',
  'droppedRequests',
]

/** What is kept from one step to the next: half of the weight lies in the last 35 minutes of 15-second steps. */
const KEPT = 0.995
/** So many usable steps in a row that are this factor off the mean are another release: the mean starts over. */
const NEW_STEPS = 4
const NEW_FACTOR = 1.5
/** Of the cores of ready pods; above it requests wait, and what is used says nothing of what is asked. */
const SATURATED01 = 0.9

/**
 * CPU work of one request, measured: core-seconds over requests, as a slow mean that steps count in by their requests.
 *
 * Steps that tell of something else are left out, with the step after them, in which a backlog may drain: pods that start, stop or
 * were killed, CPUs that are saturated, requests given up.
 */
export class WorkMeter {
  #coreSeconds = 0
  #requests = 0
  #firstGuess = 0
  #newSteps = 0
  #pods = 0
  #isStrained = false
  #wasDisturbed = false

  /** Takes in the step just ended. */
  observe(t: Readonly<Telemetry>): void {
    const pods = t.readyReplicas + t.startingReplicas
    const isSaturated = t.usedCores > SATURATED01 * t.readyReplicas * t.coresPerReplica
    this.#isStrained = isSaturated || t.droppedRequests > 0 || t.oomKills > 0
    const isScaling = t.startingReplicas > 0 || (this.#pods > 0 && pods !== this.#pods)
    const isDisturbed = this.#isStrained || isScaling
    const isUsable = !isDisturbed && !this.#wasDisturbed
    this.#pods = pods
    this.#wasDisturbed = isDisturbed
    const seen = t.usedCores / t.ratePerSecond
    if (!(t.requests >= 1 && seen > 0 && seen < Number.POSITIVE_INFINITY)) return
    if (isUsable) {
      const ratio = (seen * this.#requests) / this.#coreSeconds
      this.#newSteps = ratio > NEW_FACTOR || ratio < 1 / NEW_FACTOR ? this.#newSteps + 1 : 0
      if (this.#newSteps >= NEW_STEPS) this.#startOver()
      this.#coreSeconds = KEPT * this.#coreSeconds + seen * t.requests
      this.#requests = KEPT * this.#requests + t.requests
    } else if (this.#requests === 0) this.#firstGuess = Math.max(this.#firstGuess, seen)
  }

  /** Core-seconds of one request; 0 before the first. */
  get secondsPerRequest(): number {
    return this.#requests > 0 ? this.#coreSeconds / this.#requests : this.#firstGuess
  }

  /** Whether more was asked in the last step than could be done: CPUs used up, requests given up, pods killed and down for a while. */
  get isStrained(): boolean {
    return this.#isStrained
  }

  /** Forgets everything. */
  reset(): void {
    this.#startOver()
    this.#firstGuess = 0
    this.#pods = 0
    this.#isStrained = false
    this.#wasDisturbed = false
  }

  /** How many numbers `save` gives. */
  get stateSize(): number {
    return 7
  }

  /** Its state as numbers. */
  save(): Float64Array {
    const flags = [this.#isStrained ? 1 : 0, this.#wasDisturbed ? 1 : 0]
    return Float64Array.of(this.#coreSeconds, this.#requests, this.#firstGuess, this.#newSteps, this.#pods, ...flags)
  }

  /** Goes on from the numbers that `save` gave. */
  load(state: Float64Array): void {
    const [coreSeconds, requests, firstGuess, newSteps, pods, isStrained, wasDisturbed] = state
    this.#coreSeconds = coreSeconds!
    this.#requests = requests!
    this.#firstGuess = firstGuess!
    this.#newSteps = newSteps!
    this.#pods = pods!
    this.#isStrained = isStrained === 1
    this.#wasDisturbed = wasDisturbed === 1
  }

  #startOver(): void {
    this.#coreSeconds = 0
    this.#requests = 0
    this.#newSteps = 0
  }
}
