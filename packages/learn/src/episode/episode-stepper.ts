import type { Clock, Step, StepInfo, TrajectoryStep, Transition } from '@trimtab/core'
import { Guard, type GuardedWorld, type GuardOptions } from './guard.js'
import type { EpisodeSummary, Source } from './pilot.js'
import type { Seat } from './seat.js'
import type { Tick } from './tick.js'

/** What an `EpisodeStepper` runs with. */
export interface StepperOptions {
  /** Only its spaces and actuator are read: the caller asks it. */
  readonly environment: GuardedWorld
  readonly seat: Seat
  readonly guard?: GuardOptions
  /** Steps after which an episode is cut (truncated, never terminated); default: only the environment ends it. */
  readonly episodeSteps?: number
  /** Measures decisions and the age of telemetry. */
  readonly clock?: Clock
  /** Receives every step whose observation and reward are usable. The step and its arrays are reused. */
  readonly record?: (step: TrajectoryStep) => void
}

const NO_INFO: StepInfo = {}

/**
 * The one episode loop, without the asking: observe, decide, guard, apply, learn, record. `ControlLoop` drives it against live
 * systems, `runEpisode` against simulators, and through them training, adaptation and every comparison. The caller asks the
 * environment and hands over what it says, so that nothing here waits. A step allocates nothing.
 *
 * @example
 * stepper.begin(0, environment.reset(seed))
 * while (!stepper.isOver) stepper.settle(environment.step(stepper.decide()))
 * const summary = stepper.end()
 */
export class EpisodeStepper {
  readonly guard: Guard
  readonly #seat: Seat
  readonly #episodeSteps: number
  readonly #clock: Clock | undefined
  readonly #record: ((step: TrajectoryStep) => void) | undefined

  #step = 0
  #isOver = false
  #reward = 0
  #rewardedSteps = 0
  #sources: Record<Source, number> = { agent: 0, rule: 0, hold: 0 }

  #observation: Float32Array // [S] decided upon
  #otherObservation: Float32Array // [S]
  #isUsable = false // no fault in #observation
  readonly #tick: { -readonly [K in keyof Tick]: Tick[K] }
  readonly #transition: { -readonly [K in keyof Transition]: Transition[K] }
  readonly #trajectoryStep: { -readonly [K in keyof TrajectoryStep]: TrajectoryStep[K] }

  /** @throws {ConfigError} `config_invalid`: what the guard refuses */
  constructor({ environment, seat, guard, episodeSteps, clock, record }: StepperOptions) {
    this.guard = new Guard(environment, guard, clock)
    this.#seat = seat
    this.#episodeSteps = episodeSteps ?? Number.POSITIVE_INFINITY
    this.#clock = clock
    this.#record = record
    this.#observation = new Float32Array(environment.observation.names.length)
    this.#otherObservation = new Float32Array(environment.observation.names.length)
    const observation = this.#observation
    const action = new Float32Array(environment.action.names.length)
    this.#tick = {
      episode: 0,
      step: 0,
      observation,
      action,
      reward: 0,
      stage: 'initialized',
      source: 'hold',
      clippedBy: [],
      fallback: undefined,
      decisionMicros: 0,
      terminated: false,
      truncated: false,
      info: NO_INFO,
      failure: undefined,
    }
    this.#transition = {
      observation,
      action,
      reward: 0,
      nextObservation: this.#otherObservation,
      terminated: false,
    }
    this.#trajectoryStep = { episode: 0, step: 0, observation, action, reward: 0 }
  }

  /** The step at hand; it and its arrays are reused, copy what you keep. */
  get tick(): Tick {
    return this.#tick
  }

  /** The episode has ended: `end` is next. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** A simulator was reset and answers with `observation`: what was applied, and when it was measured, is void. */
  begin(episode: number, observation: Float32Array): void {
    this.guard.reset()
    this.goOn(episode, observation)
    this.#seat.pilot.beginEpisode?.()
    this.#seat.pilot.rule.beginEpisode?.()
  }

  /** A new episode in a world that goes on, a live system's: step limits, clocks and the rule's memory stay. */
  goOn(episode: number, observation: Float32Array): void {
    this.clear(episode)
    this.#receive(observation, undefined)
  }

  /** A new episode of which nothing has been seen yet; `lose` says why. */
  clear(episode: number): void {
    this.#tick.episode = episode
    this.#step = 0
    this.#isOver = false
    this.#reward = 0
    this.#rewardedSteps = 0
    this.#sources = { agent: 0, rule: 0, hold: 0 }
  }

  /** Decides upon what was last received, and returns the action [A] to apply; it is reused. */
  decide(): Float32Array {
    const clock = this.#clock
    const { pilot } = this.#seat
    const tick = this.#tick
    tick.stage = pilot.stage
    tick.failure = undefined
    const startMs = clock?.now() ?? 0
    tick.source = this.guard.decide(pilot, this.#observation, tick.action)
    // A clock that was set back meanwhile has measured nothing.
    tick.decisionMicros = clock === undefined ? 0 : Math.max(0, (clock.now() - startMs) * 1000)
    tick.clippedBy = this.guard.clippedBy
    tick.fallback = this.guard.fallback
    tick.observation = this.#observation
    tick.step = this.#step++
    this.#sources[tick.source]++
    if (tick.fallback === 'stale') this.#isUsable = false
    if (tick.fallback === 'agent_failed') {
      tick.failure = this.guard.failure
      this.#seat.fail(this.guard.failure)
    }
    return tick.action
  }

  /** Takes the environment's answer to the action, learns from it and records it. The step has been checked (`stepFault`). */
  settle(step: Step): void {
    const tick = this.#tick
    tick.reward = step.reward
    tick.info = step.info ?? NO_INFO
    this.#finish(step.terminated, step.truncated ?? false)
    const wasUsable = this.#isUsable
    this.#receive(step.observation, tick.info.observedAtMs)
    if (!Number.isFinite(step.reward)) return
    this.#reward += step.reward
    this.#rewardedSteps++
    if (!wasUsable) return
    this.#write()
    if (this.#isUsable) this.#learn()
  }

  /** The environment has not answered: nothing was earned and nothing is known. */
  settleWithout(failure: unknown, reason: 'environment_failed' | 'environment_timeout'): void {
    this.#tick.reward = Number.NaN
    this.#tick.info = NO_INFO
    this.#tick.failure = failure
    this.#finish(false, false)
    this.lose(reason)
  }

  /** Nothing is known about now. */
  lose(reason: 'environment_failed' | 'environment_timeout'): void {
    this.#turnPage().fill(Number.NaN)
    this.#isUsable = false
    this.guard.lose(reason)
  }

  /** Sums the episode up, for the pilot and for the caller. */
  end(): EpisodeSummary {
    const summary: EpisodeSummary = {
      episode: this.#tick.episode,
      steps: this.#step,
      reward: this.#reward,
      rewardedSteps: this.#rewardedSteps,
      sources: this.#sources,
      terminated: this.#tick.terminated,
    }
    try {
      this.#seat.pilot.endEpisode(summary)
    } catch (failure) {
      this.#distrust(failure)
    }
    return summary
  }

  #finish(terminated: boolean, truncated: boolean): void {
    this.#tick.terminated = terminated
    this.#tick.truncated = truncated || (!terminated && this.#step >= this.#episodeSteps)
    this.#isOver = this.#tick.terminated || this.#tick.truncated
  }

  #receive(observation: Float32Array, observedAtMs: number | undefined): void {
    const next = this.#turnPage()
    if (observation.length === next.length) next.set(observation)
    else next.fill(Number.NaN)
    this.#isUsable = this.guard.receive(observation, observedAtMs) === undefined
  }

  /** What was decided upon becomes the other page, which is returned to be filled with what comes next. */
  #turnPage(): Float32Array {
    const next = this.#otherObservation
    this.#otherObservation = this.#observation
    this.#observation = next
    return next
  }

  #learn(): void {
    const transition = this.#transition
    transition.observation = this.#otherObservation // the page before: what was decided upon
    transition.reward = this.#tick.reward
    transition.nextObservation = this.#observation
    transition.terminated = this.#tick.terminated
    try {
      this.#seat.pilot.observe(transition, this.#tick.info)
    } catch (failure) {
      this.#distrust(failure)
    }
  }

  /** The pilot threw after the decision of this step: the next one says so. */
  #distrust(failure: unknown): void {
    this.guard.distrust(failure)
    this.#seat.fail(failure)
  }

  #write(): void {
    if (this.#record === undefined) return
    const step = this.#trajectoryStep
    step.episode = this.#tick.episode
    step.step = this.#tick.step
    step.observation = this.#tick.observation
    step.reward = this.#tick.reward
    this.#record(step)
  }
}
