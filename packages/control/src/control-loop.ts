import { AdapterError, ConfigError, type Environment, type LiveEnvironment, type Step } from '@trimtab/core'
import {
  copyTick,
  EpisodeStepper,
  type EpisodeSummary,
  type FallbackReason,
  observationFault,
  type Pilot,
  requireStep,
  stepFault,
  type Tick,
} from '@trimtab/learn'
import { answerOf } from './answer.js'
import { type ControlLoopOptions, checkOptions } from './control-loop-options.js'
import { LiveCalls } from './live-calls.js'
import { PilotSeat } from './pilot-seat.js'
import { backOffMs, type Sleep, sleep } from './sleep.js'
import { StoreWriter } from './store-writer.js'

/**
 * Runs a pilot against an environment: observe, decide, guard, apply, learn, record.
 *
 * An async iterator of ticks; a simulator may also run whole episodes synchronously with `runEpisode`, through the same code.
 * The loop survives what production brings: unusable telemetry, unusable actions, a pilot that throws, a live system that fails,
 * answers nonsense or does not answer, a store that is full or hangs. It says so in the tick, counts it, and logs the beginning and
 * end of each trouble once.
 *
 * @example
 * const loop = new ControlLoop({ environment, pilot, episodes: 3 })
 * for await (const tick of loop) console.log(tick.step, tick.source, tick.reward, tick.fallback ?? '')
 */
export class ControlLoop implements AsyncIterable<Tick> {
  readonly #options: ControlLoopOptions
  readonly #stepper: EpisodeStepper
  readonly #seat: PilotSeat
  readonly #writer: StoreWriter | undefined
  readonly #calls: LiveCalls
  readonly #sleep: Sleep
  readonly #stop = new AbortController()
  readonly #signals: readonly (AbortSignal | undefined)[]
  #isRunning = false
  #episode: number
  #environmentFailures = 0
  #silentSteps = 0 // live calls without a usable answer, in a row

  /** @throws {ConfigError} `config_invalid` with every problem found */
  constructor(options: ControlLoopOptions) {
    checkOptions(options)
    const { environment, guard, episodeSteps, clock, firstEpisode = 0 } = options
    this.#options = options
    this.#sleep = options.sleep ?? sleep
    this.#signals = [this.#stop.signal, options.signal]
    this.#calls = new LiveCalls({ signals: this.#signals, deadline: options.stepDeadline })
    this.#seat = new PilotSeat(options.pilot, options.restore, options.logger)
    const writer = options.store && new StoreWriter(options.store, this.#sleep, options.logger)
    this.#writer = writer
    this.#stepper = new EpisodeStepper({
      environment,
      seat: this.#seat,
      ...(guard && { guard }),
      ...(episodeSteps !== undefined && { episodeSteps }),
      ...(clock && { clock }),
      ...(writer && { record: (step) => writer.append(step) }),
    })
    this.#episode = firstEpisode
  }

  /** The pilot that decides now: the rule's, after the given one has failed. */
  get pilot(): Pilot {
    return this.#seat.pilot
  }

  /** Steps by the reason for which the agent was not followed, over the loop's life. */
  get fallbacks(): Readonly<Record<FallbackReason, number>> {
    return this.#stepper.guard.counts
  }

  /** Live calls that failed, answered nothing usable or did not answer in time. */
  get environmentFailures(): number {
    return this.#environmentFailures
  }

  /** Live calls that were not sent, since an earlier one had not come back after its deadline; among `environmentFailures`. */
  get heldBackSteps(): number {
    return this.#calls.heldBack
  }

  /** Steps that were not recorded because the store failed or owed too many answers. */
  get storeFailures(): number {
    return this.#writer?.failures ?? 0
  }

  /**
   * Runs one episode of a simulator without waiting for anything.
   *
   * @param onTick  called after each step; the tick and its arrays are reused, copy what you keep
   * @throws {ConfigError} `environment_is_live`, `loop_running`, `loop_disposed`, `step_invalid`; what the simulator throws; the
   *   signal's reason
   */
  runEpisode(onTick?: (tick: Tick) => void): EpisodeSummary {
    const { environment } = this.#options
    if (isLive(environment))
      throw new ConfigError('environment_is_live', 'runEpisode needs a simulator; iterate over the loop instead')
    this.#enter()
    try {
      this.#startEpisode(environment)
      while (!this.#stepper.isOver) {
        this.#options.signal?.throwIfAborted()
        this.#step(environment)
        onTick?.(this.#stepper.tick)
      }
      return this.#endEpisode()
    } finally {
      this.#isRunning = false
    }
  }

  /**
   * Ticks until `episodes` have run, the signal aborts or the loop is disposed. Each tick is the caller's own.
   *
   * @throws {ConfigError} `loop_running`, `loop_disposed`, `step_invalid`; what a simulator throws; what a live system's first
   *   `reset` throws
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Tick, void, void> {
    const { environment, firstEpisode = 0, episodes = Number.POSITIVE_INFINITY } = this.#options
    const stepper = this.#stepper
    this.#enter()
    try {
      while (this.#episode < firstEpisode + episodes && !this.#isAborted) {
        if (isLive(environment)) await this.#startLiveEpisode(environment)
        else this.#startEpisode(environment)
        while (!stepper.isOver && !this.#isAborted) {
          if (!isLive(environment)) this.#step(environment)
          else if (!(await this.#stepLive(environment))) return
          await this.#writer?.settled(this.#signals)
          yield copyTick(stepper.tick)
          if (this.#silentSteps > 0) await this.#backOff()
        }
        if (stepper.isOver) this.#endEpisode()
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

  #startEpisode(environment: Environment): void {
    const observation = environment.reset(this.#options.seedOf?.(this.#episode) ?? this.#episode)
    requireStep(observationFault(observation))
    this.#stepper.begin(this.#episode, observation)
  }

  #step(environment: Environment): void {
    this.#seat.beginStep()
    const step = environment.step(this.#stepper.decide())
    requireStep(stepFault(step))
    this.#stepper.settle(step)
  }

  #endEpisode(): EpisodeSummary {
    const summary = this.#stepper.end()
    this.#episode++
    this.#seat.settle()
    return summary
  }

  // --- a live system ---

  async #startLiveEpisode(environment: LiveEnvironment): Promise<void> {
    try {
      const observation = await this.#calls.ask((signal) => environment.reset(signal))
      requireAnswer(observationFault(observation))
      this.#stepper.goOn(this.#episode, observation)
    } catch (failure) {
      this.#stepper.clear(this.#episode)
      if (this.#isAborted) return
      if (this.#seat.steps === 0) throw failure // never reached: the operator must know, and nothing is in force that could be held
      this.#noteSilence(failure)
      this.#stepper.lose(this.#silence)
    }
  }

  /** One live step; whatever the environment does there is a tick for it, unless the iteration was ended meanwhile. */
  async #stepLive(environment: LiveEnvironment): Promise<boolean> {
    this.#seat.beginStep()
    const action = this.#stepper.decide()
    let step: Step
    try {
      step = await this.#calls.ask((signal) => environment.step(action, signal))
      requireAnswer(stepFault(step))
    } catch (failure) {
      if (this.#isAborted) return false
      this.#noteSilence(failure)
      this.#stepper.settleWithout(failure, this.#silence)
      return true
    }
    if (this.#silentSteps > 0) this.#options.logger?.info('the environment answers again')
    this.#silentSteps = 0
    this.#stepper.settle(step)
    return true
  }

  get #silence(): 'environment_failed' | 'environment_timeout' {
    return this.#calls.isTooLate ? 'environment_timeout' : 'environment_failed'
  }

  #noteSilence(failure: unknown): void {
    this.#environmentFailures++
    if (this.#silentSteps++ === 0) this.#options.logger?.warn('the environment does not answer', { failure })
  }

  async #backOff(): Promise<void> {
    try {
      await answerOf((signal) => this.#sleep(backOffMs(this.#silentSteps), signal), this.#signals)
    } catch (failure) {
      if (!this.#isAborted) throw failure
    }
  }
}

/** @throws {AdapterError} `step_unusable` */
function requireAnswer(fault: string | undefined): void {
  if (fault !== undefined) throw new AdapterError('step_unusable', `the environment's answer cannot be used: ${fault}`)
}

function isLive(environment: Environment | LiveEnvironment): environment is LiveEnvironment {
  return !('save' in environment)
}
