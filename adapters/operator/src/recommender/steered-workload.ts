import { ControlLoop, type Tick } from '@trimtab/control'
import type { Clock, Core, Logger, TrajectoryStore } from '@trimtab/core'
import type { LoopMetrics } from '@trimtab/prometheus'
import type { Allocation } from '@trimtab/tasks/autoscaling'
import { Decider, type DeciderOptions, limitsOf, type Verdict } from './decider.js'
import { WorkloadEnvironment } from './workload-environment.js'
import type { Measured } from './workload-telemetry.js'

/** Where the steps of one workload are kept, and the number of the run that begins. */
export interface TrajectoryRun {
  readonly store: TrajectoryStore
  readonly firstEpisode: number
}

/** What a loop runs with. */
export interface SteeringOptions extends DeciderOptions {
  readonly clock: Clock
  readonly metrics?: LoopMetrics | undefined
  readonly trajectory?: TrajectoryRun | undefined
  readonly logger?: Logger | undefined
}

/** What is wanted, and who decided. */
export interface Decision {
  readonly wanted: Readonly<Allocation>
  readonly verdict: Verdict
}

/** The control loop of one workload, driven pass by pass. */
export class SteeredWorkload {
  readonly environment: WorkloadEnvironment
  readonly decider: Decider
  readonly #loop: ControlLoop
  readonly #ticks: AsyncIterator<Tick, void>
  readonly #metrics: LoopMetrics | undefined
  #step: Promise<IteratorResult<Tick, void>> | undefined

  constructor(core: Core, options: SteeringOptions) {
    const { spec, clock, trajectory, logger } = options
    this.environment = new WorkloadEnvironment(spec)
    this.decider = new Decider(core, this.environment, options)
    this.#metrics = options.metrics
    this.#loop = new ControlLoop({
      environment: this.environment,
      pilot: this.decider,
      guard: { quantityLimits: limitsOf(spec) },
      clock,
      ...(trajectory && trajectory),
      ...(logger && { logger }),
    })
    this.#ticks = this.#loop[Symbol.asyncIterator]()
  }

  /**
   * One pass: what was measured ends the step before, and the next decision is made of it.
   * @param isCarriedOut  whether what is wanted will be in force; else it is only shown
   */
  async pass(measured: Measured, inForce: Readonly<Allocation>, isCarriedOut: boolean): Promise<Decision> {
    const published = this.environment.pass(measured, inForce, isCarriedOut)
    const tick = (await this.#step)?.value
    if (tick) this.#metrics?.observe(tick)
    const step = this.#ticks.next()
    this.#step = step
    const wanted = await Promise.race([published, step.then(() => published)]) // a loop that fails says so here
    this.decider.noteAsked(isCarriedOut ? wanted : undefined)
    return { wanted, verdict: this.decider.verdict }
  }

  /** Ends the loop. */
  dispose(): void {
    this.#loop.dispose()
  }
}
