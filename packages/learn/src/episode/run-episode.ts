import { ConfigError, type Environment, Problems } from '@trimtab/core'
import { EpisodeStepper } from './episode-stepper.js'
import type { GuardOptions } from './guard.js'
import type { EpisodeSummary, Pilot } from './pilot.js'
import { strictSeat } from './seat.js'
import { observationFault, requireStep, stepFault } from './step-check.js'
import type { Tick } from './tick.js'

/** What training and judging ask of an environment; it need not be clonable. */
export type TrainingEnvironment = Omit<Environment, 'save' | 'load'>

/** How an episode of a simulator is run. */
export interface EpisodeOptions {
  /** Of the environment's chance. */
  readonly seed: number
  /** Its number in the summary and in the ticks; default 0. */
  readonly episode?: number
  /** Steps after which it is cut (truncated, never terminated); default: only the environment ends it. */
  readonly episodeSteps?: number
  /** Limits on changes; the bounds of the action space always hold. */
  readonly guard?: GuardOptions
  /** Called after each step; the tick and its arrays are reused, copy what you keep. */
  readonly onTick?: (tick: Tick) => void
  /** Ends the run between two steps. */
  readonly signal?: AbortSignal
}

const OPTIONS: readonly (keyof EpisodeOptions)[] = ['seed', 'episode', 'episodeSteps', 'guard', 'onTick', 'signal']

/** No task is meant to last so long: an environment that never says `terminated` or `truncated` would run for ever. */
const ENDLESS = 1_000_000

/**
 * Runs one episode of a simulator, the guard between pilot and environment.
 *
 * @throws {ConfigError} `step_invalid` (the environment answers no `Step`), `episode_endless`; what pilot and environment throw; the
 *   signal's reason
 * @example
 * const { reward, sources } = runEpisode(environment, rulePilot(rule), { seed: 1 })
 */
export function runEpisode(environment: TrainingEnvironment, pilot: Pilot, options: EpisodeOptions): EpisodeSummary {
  const { seed, episode = 0, episodeSteps, guard, onTick, signal } = options
  const problems = new Problems()
  problems.checkKeys(options, OPTIONS, 'options')
  problems.check(episodeSteps === undefined || episodeSteps >= 1, `episodeSteps must be >= 1, got ${episodeSteps}`)
  problems.throwIfAny('episode')
  const stepper = new EpisodeStepper({
    environment,
    seat: strictSeat(pilot),
    ...(guard && { guard }),
    ...(episodeSteps !== undefined && { episodeSteps }),
  })
  const first = environment.reset(seed)
  requireStep(observationFault(first))
  stepper.begin(episode, first)
  while (!stepper.isOver) {
    signal?.throwIfAborted()
    if (stepper.tick.step === ENDLESS) {
      throw new ConfigError(
        'episode_endless',
        `the environment has ended no episode in ${ENDLESS} steps (set episodeSteps, or answer truncated: true)`,
      )
    }
    const step = environment.step(stepper.decide())
    requireStep(stepFault(step))
    stepper.settle(step)
    onTick?.(stepper.tick)
  }
  return stepper.end()
}
