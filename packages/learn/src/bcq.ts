import { type Agent, type Bytes, type Core, doubleTensor, type Transition } from '@trimtab/core'
import { BcqKernel, type BcqReport } from '@trimtab/core/internal'
import { openAgent, writeAgent } from './agent-file.js'
import { type AgentFamily, type AgentSetup, openSetup } from './agent-setup.js'
import { type BcqOptions, bcqDefaults, checkBcqOptions } from './bcq-options.js'
import { requireNoContext, requireTransition } from './checks.js'
import { ExplorationNoise } from './noise.js'
import type { PolicyHeader } from './policy-file.js'

/** What a BCQ agent is made of. */
export type BcqSetup = AgentSetup<BcqOptions>

/**
 * Makes an agent that knows nothing yet; `load` continues a saved one.
 * @throws {ConfigError} `config_invalid` with every problem of the setup at once
 * @example
 * const agent = createBcq(core, { observation: boxSpace(['load']), action: boxSpace(['replicas']), seed: 1 })
 */
export function createBcq(core: Core, setup: BcqSetup): Bcq {
  const { options, header } = openSetup(FAMILY, setup)
  return new Bcq(core, options, header)
}

const FAMILY: AgentFamily<BcqOptions> = {
  algorithm: 'bcq',
  defaults: bcqDefaults,
  actions: ['box'],
  heads: 'one',
  keys: [],
  network: ({ hidden }) => ({ hidden, normalised: false }),
  checkOptions: checkBcqOptions,
}

/**
 * Batch-constrained Q-learning (Fujimoto et al. 2019), with which AWARE learns from the trajectories of HPA and VPA (5.3.4):
 *
 *     whoever acts    store (s, a, r − baseline, s')                                   observe
 *     a VAE learns which actions the data has in s;
 *     candidates are such actions, moved by at most φ;
 *     twin critics towards r + γ·max over candidates of s' (λ min + (1 − λ) max)       update
 *     to act          the candidate of s that the first critic values most             decide
 *
 * It stays near what was done, so it needs data with variety to get better than who made them. Once it acts online, `explore`
 * adds noise to the policy, and what that finds joins the data.
 * Same seed and transitions, same bytes on every host. S: observation entries, A: action entries; actions are in [−1, 1].
 */
export class Bcq implements Agent {
  readonly name: string
  readonly options: BcqOptions
  readonly #kernel: BcqKernel
  readonly #noise: ExplorationNoise
  #header: PolicyHeader
  /** Updates owed: grows by `updatesPerStep`, whole ones are paid. */
  #owed = 0

  /** Use `createBcq`, which checks what it is given. */
  constructor(core: Core, options: BcqOptions, header: PolicyHeader) {
    const stateSize = header.observation.names.length
    const actionSize = header.action.names.length
    const latentSize = options.latentsPerAction * actionSize
    this.name = `bcq/${header.preset}`
    this.options = options
    this.#header = header
    this.#kernel = new BcqKernel(core, { ...options, stateSize, actionSize, latentSize, seed: header.seed })
    this.#noise = new ExplorationNoise(core, actionSize, options.noise, header.seed)
  }

  /** The serving policy: fills `out` [A]. A NaN in the observation comes out as NaN, for the guard to catch. */
  decide(observation: Float32Array, out: Float32Array): void {
    this.act(observation, out, 'averaged')
  }

  /** The behaviour policy online: the best candidate plus noise, clipped to [−1, 1]. */
  explore(observation: Float32Array, out: Float32Array, _partition = 0, sides?: readonly (-1 | 0 | 1)[]): void {
    this.act(observation, out, 'actor')
    this.#noise.addTo(out, 0, sides)
  }

  /** Without noise: by the nets that learn (`actor`) or by their slow targets (`averaged`). */
  act(observation: Float32Array, out: Float32Array, policy: 'actor' | 'averaged'): void {
    this.#kernel.act(observation, out, policy === 'averaged' ? 'target' : 'learning')
  }

  /**
   * Remembers a step; `action` is what was applied, whoever chose it.
   * @throws {ConfigError} those of `Agent`; nothing was stored
   */
  observe(transition: Transition): void {
    requireTransition(transition, this.#header.observation, this.#header.action)
    const { observation, action, reward, nextObservation, terminated } = transition
    this.#kernel.insert(observation, action, reward - this.options.rewardBaseline, nextObservation, terminated)
  }

  /** Learns what one time step is worth; before the warm-up nothing. A non-finite update is skipped and counted. */
  update(): BcqReport {
    if (this.#kernel.size >= this.options.warmUp) {
      this.#owed += this.options.updatesPerStep
      const whole = Math.floor(this.#owed)
      if (whole > 0) {
        this.learn(whole)
        this.#owed -= whole
      }
    }
    return this.#kernel.report()
  }

  /**
   * Offline training: so many updates on what is remembered, without new steps.
   * @throws {ConfigError} `replay_empty`
   */
  learn(updates: number): BcqReport {
    this.#kernel.update(updates)
    this.#noise.countUpdates(updates)
    return this.#kernel.report()
  }

  /** Call after the last step of an episode that the agent drove. */
  endEpisode(): void {
    this.#noise.endEpisode()
  }

  /** Transitions remembered now. */
  get size(): number {
    return this.#kernel.size
  }

  /** A factor on the scheduled noise, 1 unless set. */
  get explorationScale(): number {
    return this.#noise.scale
  }

  set explorationScale(scale: number) {
    this.#noise.scale = scale
  }

  /** Standard deviation of the noise now. */
  get explorationLevel(): number {
    return this.#noise.deviation
  }

  /** There is no context beside the observation. */
  readonly contextSize = 0

  /** @throws {ConfigError} `size_mismatch` unless empty */
  setContext(z: Float32Array): void {
    requireNoContext(z)
  }

  /** What the policy file's header says. */
  get header(): PolicyHeader {
    return this.#header
  }

  /** Everything as a policy file; an agent of the same setup that loads it goes on as if it had never stopped, to the bit. */
  save(): Uint8Array {
    return writeAgent(this.#header, this.#kernel.save(), [
      ...this.#noise.save(),
      doubleTensor('agent.owed', [this.#owed]),
    ])
  }

  /**
   * Continues a saved agent. The file is judged whole first: if it is refused, this agent is as it was.
   * @throws {FormatError} those of `openAgent`; `tensor_missing`, `tensor_mismatch`, `replay_invalid`
   */
  load(bytes: Bytes): void {
    const { header, reader, kernel } = openAgent(bytes, this.#header)
    const [owed] = reader.doubles('agent.owed', 1)
    const restoreNoise = this.#noise.load(reader)
    this.#kernel.load(kernel) // the last that may refuse
    restoreNoise()
    this.#owed = owed!
    this.#header = header
  }

  /** May be called twice. */
  dispose(): void {
    this.#kernel.dispose()
    this.#noise.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}
