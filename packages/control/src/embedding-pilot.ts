import type { Agent, Controller, StepInfo, Transition } from '@trimtab/core'
import type { Decider, EpisodeSummary, Pilot, Stage } from '@trimtab/learn'
import { type Trajectory, TrajectoryRecorder } from '@trimtab/learn'

/** What says from trajectories what an application is like; `MetaLearner` of `@trimtab/learn` is one. */
export interface TrajectoryEncoder {
  /** Takes whole episodes; later embeddings are of all of them. */
  insertTrajectories(trajectories: readonly Trajectory[]): void
  /** The embedding [Z] of what was inserted. */
  getEmbedding(): Float32Array
}

/**
 * Any pilot, its agent told after each episode what the application is like: FLASH's embedding of everything seen so far, the
 * rule's steps too. Until the first episode is over the agent has the null context.
 *
 * Source: dissertation 5.4.3, 5.6.1.
 */
export class EmbeddingPilot implements Pilot {
  readonly #pilot: Pilot
  readonly #agent: Pick<Agent, 'setContext'>
  readonly #encoder: TrajectoryEncoder
  readonly #recorder: TrajectoryRecorder = new TrajectoryRecorder()
  #steps = 0

  constructor(pilot: Pilot, agent: Pick<Agent, 'setContext'>, encoder: TrajectoryEncoder) {
    this.#pilot = pilot
    this.#agent = agent
    this.#encoder = encoder
  }

  get stage(): Stage {
    return this.#pilot.stage
  }

  get rule(): Controller {
    return this.#pilot.rule
  }

  decide(observation: Float32Array, out: Float32Array): Decider {
    return this.#pilot.decide(observation, out)
  }

  observe(transition: Transition, info: StepInfo): void {
    this.#recorder.add(transition.observation, transition.action, transition.reward)
    this.#steps++
    this.#pilot.observe(transition, info)
  }

  /** Ends the episode of the pilot inside; what was recorded of it counts for the embedding from now on. */
  endEpisode(summary: EpisodeSummary): void {
    this.#pilot.endEpisode(summary)
    if (this.#steps === 0) return // nothing was measured
    this.#steps = 0
    this.#encoder.insertTrajectories([this.#recorder.take(false)])
    this.#agent.setContext(this.#encoder.getEmbedding())
  }
}
