import {
  type Clock,
  type Environment,
  type LiveEnvironment,
  type Logger,
  Problems,
  type TrajectoryStore,
} from '@trimtab/core'
import type { GuardOptions } from './guard.js'
import type { Pilot } from './pilot.js'

export interface ControlLoopOptions {
  /** A simulator (it has `save`) or a live system. */
  readonly environment: Environment | LiveEnvironment
  readonly pilot: Pilot
  /** Limits on changes, the action in force at the start, the age of telemetry; the bounds of the action space always hold. */
  readonly guard?: Omit<GuardOptions, 'clock'>
  /** Steps after which an episode is cut (truncated, never terminated); default: only the environment ends it. */
  readonly episodeSteps?: number
  /** Episodes after which the iteration ends; default: never. */
  readonly episodes?: number
  /** Number of the first episode, to go on where a trajectory file ended; default 0. */
  readonly firstEpisode?: number
  /** A simulator's seed for each episode; default: the episode's number. */
  readonly seedOf?: (episode: number) => number
  /** Receives every step whose observation and reward are usable. A store that fails is counted, not fatal. */
  readonly store?: TrajectoryStore
  /** Measures decisions and the age of telemetry. */
  readonly clock?: Clock
  readonly logger?: Logger
  /** Ends the iteration after the tick at hand; a live step in flight is given up. */
  readonly signal?: AbortSignal
  /** A live step that has not answered when this signal aborts is given up, e.g. `() => AbortSignal.timeout(30_000)`. */
  readonly stepDeadline?: () => AbortSignal
  /** Awaited after a live step failed, so that a dead system is not hammered; `failures` counts those in a row. */
  readonly pause?: (failures: number, signal: AbortSignal) => Promise<void>
  /**
   * Rebuilds a pilot that threw (a new core, the agent's last save). Asked in the second step after the failure; when it has none
   * yet (`undefined`) or fails, asked again after 2, 4, 8, … steps.
   */
  readonly restore?: () => Pilot | undefined
}

/** @throws {ConfigError} `config_invalid` with every problem found */
export function checkOptions(options: ControlLoopOptions): void {
  const { episodeSteps = Number.POSITIVE_INFINITY, episodes = Number.POSITIVE_INFINITY, firstEpisode = 0 } = options
  const problems = new Problems()
  for (const [name, value] of Object.entries({ episodeSteps, episodes })) {
    const isCount = value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= 1)
    problems.check(isCount, `${name} must be a whole number >= 1, got ${value}`)
  }
  const isNumbered = Number.isInteger(firstEpisode) && firstEpisode >= 0
  problems.check(isNumbered, `firstEpisode must be a whole number >= 0, got ${firstEpisode}`)
  problems.throwIfAny('control loop')
}
