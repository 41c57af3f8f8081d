import {
  type Clock,
  type Environment,
  type LiveEnvironment,
  type Logger,
  Problems,
  type TrajectoryStore,
} from '@trimtab/core'
import type { GuardOptions, Pilot } from '@trimtab/learn'
import type { Sleep } from './sleep.js'

/** What a `ControlLoop` runs with. */
export interface ControlLoopOptions {
  /** A simulator (it has `save`) or a live system. */
  readonly environment: Environment | LiveEnvironment
  readonly pilot: Pilot
  /** Limits on changes, the action in force at the start, the age of telemetry; the bounds of the action space always hold. */
  readonly guard?: GuardOptions
  /** Steps after which an episode is cut (truncated, never terminated); default: only the environment ends it. */
  readonly episodeSteps?: number
  /** Episodes after which the iteration ends; default: never. */
  readonly episodes?: number
  /** Number of the first episode, to go on where a trajectory file ended; default 0. */
  readonly firstEpisode?: number
  /** A simulator's seed for each episode; default: the episode's number. */
  readonly seedOf?: (episode: number) => number
  /** Receives every step whose observation and reward are usable. A store that fails or does not answer is counted, not fatal. */
  readonly store?: TrajectoryStore
  /** Measures decisions, and the age of telemetry: in the epoch of `info.observedAtMs` where the environment reports it. */
  readonly clock?: Clock
  readonly logger?: Logger
  /** Ends the iteration after the tick at hand; a live step in flight is given up. */
  readonly signal?: AbortSignal
  /**
   * A live step that has not answered when this signal aborts is given up, e.g. `() => AbortSignal.timeout(30_000)`. The next one is
   * sent when it has come back.
   */
  readonly stepDeadline?: () => AbortSignal
  /**
   * The timer that the loop waits by: after a failed live step 0.1 s, 0.2 s, 0.4 s, … at most half a minute, so that a dead system
   * is not hammered. Default: the host's.
   */
  readonly sleep?: Sleep
  /**
   * Rebuilds a pilot that threw (a new core, the agent's last save). Asked in the second step after the failure; when it has none
   * yet (`undefined`) or fails, asked again after 2, 4, 8, … steps.
   */
  readonly restore?: () => Pilot | undefined
}

const OPTIONS: readonly (keyof ControlLoopOptions)[] = [
  'environment',
  'pilot',
  'guard',
  'episodeSteps',
  'episodes',
  'firstEpisode',
  'seedOf',
  'store',
  'clock',
  'logger',
  'signal',
  'stepDeadline',
  'sleep',
  'restore',
]

/** @throws {ConfigError} `config_invalid` with every problem found */
export function checkOptions(options: ControlLoopOptions): void {
  const { episodeSteps = Number.POSITIVE_INFINITY, episodes = Number.POSITIVE_INFINITY, firstEpisode = 0 } = options
  const problems = new Problems()
  problems.checkKeys(options, OPTIONS, 'options')
  for (const [name, value] of Object.entries({ episodeSteps, episodes })) {
    const isCount = value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= 1)
    problems.check(isCount, `${name} must be a whole number >= 1, got ${value}`)
  }
  const isNumbered = Number.isInteger(firstEpisode) && firstEpisode >= 0
  problems.check(isNumbered, `firstEpisode must be a whole number >= 0, got ${firstEpisode}`)
  problems.throwIfAny('control loop')
}
