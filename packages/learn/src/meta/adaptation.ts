import { type Core, type Environment, Problems, Random } from '@trimtab/core'
import { drawAction } from '../episode/draw-action.js'
import { type EpisodeSummary, HOLD } from '../episode/pilot.js'
import { runEpisode } from '../episode/run-episode.js'
import type { SharedAgent } from '../shared-agent.js'
import type { MetaLearner } from './meta-learner.js'
import { TrajectoryRecorder } from './trajectory.js'

/** How a pretrained learner meets an application that it has not seen. */
export interface AdaptationOptions {
  /** `random`: the first episode probes, and its context tells the encoder most; `policy`: it acts as pretrained for a pair without data. */
  readonly firstEpisode: 'random' | 'policy'
  /** Episodes before the base learner is fine-tuned: from an almost empty replay it first gets worse. */
  readonly waitEpisodes: number
  /** false: only the context grows, the base learner stays as pretrained. */
  readonly isFineTuned: boolean
  /** Share of random actions while exploring; an on-policy learner makes none. */
  readonly randomActions: number
}

/** The recipe of the experiments. */
export const ADAPTATION: AdaptationOptions = {
  firstEpisode: 'random',
  waitEpisodes: 1,
  isFineTuned: true,
  randomActions: 0,
}

/** The pretrained parts, and the application. */
export interface AdaptationSetup {
  /** The pretrained base learner, with one partition. */
  readonly agent: SharedAgent
  /** The encoder, frozen. None: `embedding` is used throughout. */
  readonly meta?: MetaLearner
  /** z [Z] that is given instead of learned; zeros when there is neither. */
  readonly embedding?: Float32Array
  readonly environment: Environment
  readonly options?: Partial<AdaptationOptions>
  readonly seed: number
}

const STREAM = 0x61646170
const ONLY_PARTITION = Int32Array.of(0)

/**
 * Brings a pretrained base learner to one new pair: the meta learner stays frozen and says from each episode anew what the pair
 * is like, the base learner is fine-tuned step by step (5.6.1); one that learns on-policy when an episode has filled its rollout.
 *
 * @example
 * const adaptation = new Adaptation(core, { agent, meta, environment, seed: 1 })
 * while (!isGoodEnough()) adaptation.episode()
 */
export class Adaptation {
  readonly #setup: AdaptationSetup
  readonly #options: AdaptationOptions
  readonly #random: Random
  readonly #recorder = new TrajectoryRecorder()
  #z: Float32Array
  #episodes = 0

  /** @throws {ConfigError} `config_invalid`: an option that there is not */
  constructor(core: Core, setup: AdaptationSetup) {
    this.#setup = setup
    const problems = new Problems()
    problems.checkKeys(setup.options ?? {}, Object.keys(ADAPTATION), 'options')
    problems.throwIfAny('adaptation')
    this.#options = { ...ADAPTATION, ...setup.options }
    this.#random = new Random(core, setup.seed, STREAM)
    setup.meta?.toggleMetaUpdate(false)
    setup.meta?.forget()
    this.#z = this.#embedding()
    setup.agent.setContext(this.#z)
  }

  /** z [Z] as it is now. */
  get embedding(): Float32Array {
    return this.#z.slice()
  }

  /** Episodes run. */
  get episodes(): number {
    return this.#episodes
  }

  /** One episode on the pair, learned from step by step; then the embedding is made anew. */
  episode(): EpisodeSummary {
    const { agent, meta, environment } = this.#setup
    const { firstEpisode, waitEpisodes, isFineTuned, randomActions } = this.#options
    const isProbe = this.#episodes === 0 && firstEpisode === 'random'
    const learns = isFineTuned && this.#episodes >= waitEpisodes
    const isForeign = isProbe && agent.isOnPolicy === true
    const result = runEpisode(
      environment,
      {
        stage: 'online',
        rule: HOLD,
        decide: (observation, action) => {
          if (isProbe || (randomActions > 0 && !agent.isOnPolicy && this.#random.uniform() < randomActions)) {
            drawAction(environment.action, this.#random, action)
          } else agent.explore(observation, action)
          return 'agent'
        },
        observe: (transition) => {
          if (!isForeign) agent.observe(transition, 0)
          this.#recorder.add(transition.observation, transition.action, transition.reward)
          if (learns) agent.updatePairs(ONLY_PARTITION, this.#z)
        },
        endEpisode() {},
      },
      { seed: this.#random.integer(2 ** 31 - 1), episode: this.#episodes },
    )
    agent.endEpisode()
    this.#episodes++
    const trajectory = this.#recorder.take(isProbe)
    if (meta) {
      meta.insertTrajectories([trajectory])
      this.#z = this.#embedding()
      agent.setContext(this.#z)
    }
    return result
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#random.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #embedding(): Float32Array {
    const { agent, meta, embedding } = this.#setup
    return embedding ?? meta?.getEmbedding() ?? new Float32Array(agent.contextSize)
  }
}
