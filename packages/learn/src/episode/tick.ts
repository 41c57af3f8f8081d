import type { StepInfo } from '@trimtab/core'
import type { ClipReason } from './clip-reason.js'
import type { FallbackReason } from './guard.js'
import type { Source, Stage } from './pilot.js'

/** One step of the loop: what was seen, done and earned, and why. */
export interface Tick {
  readonly episode: number
  readonly step: number
  /** What was decided upon [S], as it arrived: NaN where a metric was missing. */
  readonly observation: Float32Array
  /** What was applied [A]. */
  readonly action: Float32Array
  /** NaN when it was not measured. */
  readonly reward: number
  readonly stage: Stage
  readonly source: Source
  /** What the guard changed about the chosen action. */
  readonly clippedBy: readonly ClipReason[]
  /** Why the agent was not followed. */
  readonly fallback: FallbackReason | undefined
  /** Time the decision took by the injected clock; 0 without one. */
  readonly decisionMicros: number
  readonly terminated: boolean
  /** A time limit, the environment's or the loop's, cut the episode here. */
  readonly truncated: boolean
  readonly info: StepInfo
  /** What the pilot or the environment threw in this step, if anything. */
  readonly failure: unknown
}

/** A tick that shares nothing with the loop. */
export function copyTick(tick: Tick): Tick {
  return { ...tick, observation: tick.observation.slice(), action: tick.action.slice(), info: { ...tick.info } }
}
