import {
  ConfigError,
  type Environment,
  type LiveEnvironment,
  type Step,
  type TrajectoryStep,
  type Transition,
} from '@trimtab/core'
import { answerOf } from './answer.js'
import { type ControlLoopOptions, checkOptions } from './control-loop-options.js'
import { type FallbackReason, Guard } from './guard.js'
import type { EpisodeSummary, Pilot, Source } from './pilot.js'
import { PilotSeat } from './pilot-seat.js'
import { copyTick, type Tick } from './tick.js'

/**
 * Runs a pilot against an environment: observe, decide, guard, apply, learn, record.
 *
 * An async iterator of ticks; a simulator may also run whole episodes synchronously with `runEpisode`, through the same code.
 * The loop survives what production brings: unusable telemetry, unusable actions, a pilot that throws, a live system that fails or
 * does not answer, a store that is full. It says so in the tick, counts it, and logs the beginning and end of each trouble once.
 *
 * @example
 * const loop = new ControlLoop({ environment, pilot, episodes: 3 })
 * for await (const tick of loop) console.log(tick.step, tick.source, tick.reward, tick.fallback ?? '')
 */
export class ControlLoop implements AsyncIterable<Tick> {
  readonly #options: ControlLoopOptions
  readonly #guard: Guard
  readonly #stop = new AbortController()
  #isRunning = false

  readonly #seat: PilotSeat
  #ticks = 0

  #episode: number
  #step = 0
  #isEpisodeOver = false
  #reward = 0
  #rewardedSteps = 0
  #sources: Record<Source, number> = { agent: 0, rule: 0, hold: 0 }

  #observation: Float32Array // [S] decided upon
  #otherObservation: Float32Array // [S]
  #isUsable = false // no fault in #observation
  readonly #tick: { -readonly [K in keyof Tick]: Tick[K] }
  readonly #transition: { -readonly [K in keyof Transition]: Transition[K] }
  readonly #trajectoryStep: { -readonly [K in keyof TrajectoryStep]: TrajectoryStep[K] }

  #stored: Promise<void> | undefined
  #storeFailures = 0
  #environmentFailures = 0
  #silentSteps = 0 // live steps without an answer, in a row
  #deadline: AbortSignal | undefined

  /** @throws {ConfigError} `config_invalid` with every problem found */
  constructor(options: ControlLoopOptions) {
    checkOptions(options)
    const { environment, firstEpisode = 0 } = options
    this.#options = options
    this.#guard = new Guard(environment.observation, environment.action, {
      ...options.guard,
      ...(options.clock && { clock: options.clock }),
    })
    this.#seat = new PilotSeat(options.pilot, options.restore, options.logger)
    this.#episode = firstEpisode
    this.#observation = new Float32Array(environment.observation.names.length)
    this.#otherObservation = new Float32Array(environment.observation.names.length)
    const action = new Float32Array(environment.action.names.length)
    this.#tick = {
      episode: 0,
      step: 0,
      observation: this.#observation,
      action,
      reward: 0,
      stage: 'initialized',
      source: 'hold',
      clippedBy: [],
      fallback: undefined,
      decisionMicros: 0,
      terminated: false,
      truncated: false,
      info: {},
      failure: undefined,
    }
    this.#transition = {
      observation: this.#observation,
      action,
      reward: 0,
      nextObservation: this.#otherObservation,
      terminated: false,
    }
    this.#trajectoryStep = { episode: 0, step: 0, observation: this.#observation, action, reward: 0 }
  }

  /** The pilot that decides now: the rule's, after the given one has failed. */
  get pilot(): Pilot {
    return this.#seat.pilot
  }

  /** Steps by the reason for which the agent was not followed, over the loop's life. */
  get fallbacks(): Readonly<Record<FallbackReason, number>> {
    return this.#guard.counts
  }

  /** Live calls that failed or did not answer in time. */
  get environmentFailures(): number {
    return this.#environmentFailures
  }

  /** Steps that were not recorded because the store failed. */
  get storeFailures(): number {
    return this.#storeFailures
  }

  /**
   * Runs one episode of a simulator without waiting for anything.
   *
   * @param onTick  called after each step; the tick and its arrays are reused, copy what you keep
   * @throws {ConfigError} `environment_is_live`, `loop_running`, `loop_disposed`; what the simulator throws; the signal's reason
   */
  runEpisode(onTick?: (tick: Tick) => void): EpisodeSummary {
    const { environment } = this.#options
    if (isLive(environment))
      throw new ConfigError('environment_is_live', 'runEpisode needs a simulator; iterate over the loop instead')
    this.#enter()
    try {
      this.#startEpisode(environment)
      while (!this.#isEpisodeOver) {
        this.#options.signal?.throwIfAborted()
        this.#decide()
        this.#settle(environment.step(this.#tick.action))
        onTick?.(this.#tick)
      }
      return this.#endEpisode()
    } finally {
      this.#isRunning = false
    }
  }

  /**
   * Ticks until `episodes` have run, the signal aborts or the loop is disposed. Each tick is the caller's own.
   *
   * @throws {ConfigError} `loop_running`, `loop_disposed`; what a simulator throws; what a live system's first `reset` throws
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Tick, void, void> {
    const { environment, firstEpisode = 0, episodes = Number.POSITIVE_INFINITY } = this.#options
    this.#enter()
    try {
      while (this.#episode < firstEpisode + episodes && !this.#isAborted) {
        if (isLive(environment)) await this.#startLiveEpisode(environment)
        else this.#startEpisode(environment)
        while (!this.#isEpisodeOver && !this.#isAborted) {
          this.#decide()
          if (!isLive(environment)) this.#settle(environment.step(this.#tick.action))
          else if (!(await this.#stepLive(environment))) return
          if (this.#stored !== undefined) await this.#stored
          yield copyTick(this.#tick)
          if (this.#silentSteps > 0) await this.#pause()
        }
        if (this.#isEpisodeOver) this.#endEpisode()
      }
    } finally {
      this.#isRunning = false
    }
  }

  /** Ends an iteration in flight; the loop cannot be used again. What was passed in stays with its owner. */
  dispose(): void {
    this.#stop.abort(new ConfigError('loop_disposed', 'the control loop was disposed'))
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  get #isAborted(): boolean {
    return this.#stop.signal.aborted || this.#options.signal?.aborted === true
  }

  #enter(): void {
    this.#stop.signal.throwIfAborted()
    if (this.#isRunning) throw new ConfigError('loop_running', 'this control loop is already being iterated')
    this.#isRunning = true
  }

  // --- one episode ---

  #startEpisode(environment: Environment): void {
    this.#guard.reset()
    const seed = this.#options.seedOf?.(this.#episode) ?? this.#episode
    this.#clearEpisode()
    this.#receive(environment.reset(seed), undefined)
    this.pilot.rule.beginEpisode?.()
  }

  async #startLiveEpisode(environment: LiveEnvironment): Promise<void> {
    this.#clearEpisode()
    try {
      this.#receive(await this.#ask((signal) => environment.reset(signal)), undefined)
    } catch (failure) {
      if (this.#isAborted) return
      if (this.#ticks === 0) throw failure // never reached: the operator must know, and nothing is in force that could be held
      this.#lose(failure)
    }
  }

  #clearEpisode(): void {
    this.#step = 0
    this.#isEpisodeOver = false
    this.#reward = 0
    this.#rewardedSteps = 0
    this.#sources = { agent: 0, rule: 0, hold: 0 }
  }

  #endEpisode(): EpisodeSummary {
    const summary: EpisodeSummary = {
      episode: this.#episode++,
      steps: this.#step,
      reward: this.#reward,
      rewardedSteps: this.#rewardedSteps,
      sources: this.#sources,
      terminated: this.#tick.terminated,
    }
    try {
      this.#seat.pilot.endEpisode(summary)
      this.#seat.settle()
    } catch (failure) {
      this.#distrust(failure)
    }
    return summary
  }

  // --- one step ---

  #decide(): void {
    this.#seat.refill(this.#ticks)
    const { clock } = this.#options
    const { pilot } = this.#seat
    const tick = this.#tick
    const guard = this.#guard
    tick.stage = pilot.stage
    tick.failure = undefined
    const startMs = clock?.now() ?? 0
    tick.source = guard.decide(pilot, this.#observation, tick.action)
    tick.decisionMicros = clock === undefined ? 0 : (clock.now() - startMs) * 1000
    tick.clippedBy = guard.clippedBy
    tick.fallback = guard.fallback
    tick.observation = this.#observation
    tick.episode = this.#episode
    tick.step = this.#step++
    this.#ticks++
    this.#sources[tick.source]++
    if (tick.fallback === 'stale') this.#isUsable = false
    if (tick.fallback === 'agent_failed') {
      tick.failure = guard.failure
      if (!this.#seat.hasFailed) this.#seat.fail(guard.failure, this.#ticks)
    }
  }

  /** Takes the environment's answer to the action, learns from it and records it. */
  #settle(step: Step): void {
    const tick = this.#tick
    tick.reward = step.reward
    tick.info = step.info
    this.#finishTick(step.terminated, step.truncated)
    const wasUsable = this.#isUsable
    this.#receive(step.observation, step.info.observedAtMs)
    if (!Number.isFinite(step.reward)) return
    this.#reward += step.reward
    this.#rewardedSteps++
    if (!wasUsable) return
    this.#record()
    if (this.#isUsable) this.#learn()
  }

  #finishTick(terminated: boolean, truncated: boolean): void {
    const { episodeSteps = Number.POSITIVE_INFINITY } = this.#options
    this.#tick.terminated = terminated
    this.#tick.truncated = truncated || (!terminated && this.#step >= episodeSteps)
    this.#isEpisodeOver = this.#tick.terminated || this.#tick.truncated
  }

  #receive(observation: Float32Array, observedAtMs: number | undefined): void {
    const next = this.#turnPage()
    if (observation.length === next.length) next.set(observation)
    else next.fill(Number.NaN)
    this.#isUsable = this.#guard.receive(observation, observedAtMs) === undefined
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
    this.#guard.distrust(failure)
    if (!this.#seat.hasFailed) this.#seat.fail(failure, this.#ticks)
  }

  #record(): void {
    const { store } = this.#options
    if (store === undefined) return
    const step = this.#trajectoryStep
    step.episode = this.#tick.episode
    step.step = this.#tick.step
    step.observation = this.#tick.observation
    step.reward = this.#tick.reward
    try {
      const pending = store.append(step)
      this.#stored = pending?.catch((failure: unknown) => this.#noteStoreFailure(failure))
    } catch (failure) {
      this.#noteStoreFailure(failure)
    }
  }

  #noteStoreFailure(failure: unknown): void {
    if (this.#storeFailures++ === 0) {
      this.#options.logger?.error('trajectory store failed; the loop goes on without recording', { failure })
    }
  }

  // --- a live system ---

  /** One live step; whatever the environment does there is a tick for it, unless the iteration was ended meanwhile. */
  async #stepLive(environment: LiveEnvironment): Promise<boolean> {
    let step: Step
    try {
      step = await this.#ask((signal) => environment.step(this.#tick.action, signal))
    } catch (failure) {
      if (this.#isAborted) return false
      this.#tick.reward = Number.NaN
      this.#tick.info = {}
      this.#tick.failure = failure
      this.#finishTick(false, false)
      this.#lose(failure)
      return true
    }
    if (this.#silentSteps > 0) this.#options.logger?.info('the environment answers again')
    this.#silentSteps = 0
    this.#settle(step)
    return true
  }

  #lose(failure: unknown): void {
    this.#turnPage().fill(Number.NaN)
    this.#isUsable = false
    this.#guard.lose(this.#deadline?.aborted ? 'environment_timeout' : 'environment_failed')
    this.#environmentFailures++
    if (this.#silentSteps++ === 0) this.#options.logger?.warn('the environment does not answer', { failure })
  }

  #ask<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#deadline = this.#options.stepDeadline?.()
    return answerOf(call, [this.#stop.signal, this.#options.signal, this.#deadline])
  }

  async #pause(): Promise<void> {
    const { pause, signal } = this.#options
    if (pause === undefined || this.#silentSteps === 0) return
    try {
      await answerOf((either) => pause(this.#silentSteps, either), [this.#stop.signal, signal])
    } catch (failure) {
      if (!this.#isAborted) throw failure
    }
  }
}

function isLive(environment: Environment | LiveEnvironment): environment is LiveEnvironment {
  return !('save' in environment)
}
