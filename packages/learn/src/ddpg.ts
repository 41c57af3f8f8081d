import { type Bytes, type Core, doubleTensor, type Tensor, type Transition, type UpdateReport } from '@trimtab/core'
import { type Context, type ContextEncoder, DdpgKernel } from '@trimtab/core/internal'
import { openAgent, writeAgent } from './agent-file.js'
import { type AgentFamily, openSetup, type SharedAgentSetup } from './agent-setup.js'
import { requireTransition } from './checks.js'
import { checkDdpgOptions, type DdpgOptions, ddpgDefaults } from './ddpg-options.js'
import { ExplorationNoise } from './noise.js'
import { ObservationNormaliser } from './normaliser.js'
import { policyTensor } from './policy.js'
import { type PolicyHeader, writePolicyFile } from './policy-file.js'
import type { SharedAgent } from './shared-agent.js'

/** What a DDPG agent is made of. */
export interface DdpgSetup extends SharedAgentSetup<DdpgOptions> {
  /** Most pairs that one update mixes. Default 1. */
  readonly maxGroups?: number
}

/** Which of the agent's policies: the one that learns, or its slow average that serves. */
export type DdpgPolicy = 'actor' | 'averaged'

/** Why a decision was made, in the agent's own terms. */
export interface DdpgExplanation {
  readonly inputs: readonly { readonly name: string; readonly value: number }[]
  readonly actions: readonly { readonly name: string; readonly value: number }[]
  /** The critic's discounted sum of rewards from here on, the baseline added back. */
  readonly expectedReturn: number
}

/**
 * Makes an agent that knows nothing yet; `load` continues a saved one.
 *
 * Everything random in it comes from `seed`: the same seed and the same transitions give the same bytes on every host.
 *
 * @throws {ConfigError} `config_invalid` with every problem of the setup at once
 * @example
 * const agent = createDdpg(core, { observation: boxSpace(['load']), action: boxSpace(['replicas']), seed: 1 })
 */
export function createDdpg(core: Core, setup: DdpgSetup): Ddpg {
  const { options, header } = openSetup(FAMILY, setup)
  const { contextSize = 0, partitions = 1, maxGroups = 1 } = setup
  return new Ddpg(core, options, { contextSize, partitions, maxGroups }, header)
}

const FAMILY: AgentFamily<DdpgOptions> = {
  algorithm: 'ddpg',
  defaults: ddpgDefaults,
  actions: ['box'],
  heads: 'one',
  keys: ['contextSize', 'partitions', 'maxGroups'],
  network: ({ hidden, calibrationSteps }) => ({ hidden, normalised: calibrationSteps > 0 }),
  checkOptions: checkDdpgOptions,
}

/** How many pairs share an agent, and how it sees them. */
export interface DdpgSharing {
  readonly contextSize: number
  readonly partitions: number
  readonly maxGroups: number
}

/**
 * Deep deterministic policy gradient (Lillicrap et al. 2016; FIRM's Algorithm 3.3, AWARE's base learner):
 *
 *     each step     a = actor(s) + noise                                  explore
 *                   store (s, a, r − baseline, s')                        observe
 *                   critic towards r + γ·Q'(s', actor'(s')), actor up     update
 *                   the critic's slope, targets and average follow
 *     each episode  the noise fades                                       endEpisode
 *     to serve      a = averaged actor(s)                                 decide
 *
 * A time limit is no end: store it with `terminated: false` and the future keeps its value.
 * S: observation entries, A: action entries; actions are in [−1, 1].
 */
export class Ddpg implements SharedAgent {
  readonly name: string
  readonly options: DdpgOptions
  readonly #kernel: DdpgKernel
  readonly #noise: ExplorationNoise
  readonly #normaliser: ObservationNormaliser | undefined
  readonly #here: Float32Array // [S], normalised
  readonly #there: Float32Array // [S], normalised
  #header: PolicyHeader
  #context: Float32Array // [Z]
  /** Updates owed: grows by `updatesPerStep`, whole ones are paid. */
  #owed = 0

  /** Use `createDdpg`, which checks what it is given. */
  constructor(core: Core, options: DdpgOptions, sharing: DdpgSharing, header: PolicyHeader) {
    const stateSize = header.observation.names.length
    const actionSize = header.action.names.length
    this.name = `ddpg/${header.preset}`
    this.options = options
    this.#header = header
    this.#kernel = new DdpgKernel(core, { ...options, ...sharing, stateSize, actionSize, seed: header.seed })
    this.#context = new Float32Array(sharing.contextSize)
    this.#noise = new ExplorationNoise(core, actionSize, options.noise, header.seed, sharing.partitions)
    this.#normaliser =
      options.calibrationSteps > 0 ? new ObservationNormaliser(core, stateSize, options.calibrationSteps) : undefined
    this.#here = new Float32Array(stateSize)
    this.#there = new Float32Array(stateSize)
  }

  /** The serving policy, without noise: fills `out` [A]. A NaN in the observation comes out as NaN, for the guard to catch. */
  decide(observation: Float32Array, out: Float32Array): void {
    this.act(observation, out, 'averaged')
  }

  /** The behaviour policy while learning: the actor plus noise, clipped to [−1, 1]. */
  explore(observation: Float32Array, out: Float32Array, partition = 0, sides?: readonly (-1 | 0 | 1)[]): void {
    this.act(observation, out, 'actor')
    this.#noise.addTo(out, partition, sides)
  }

  /** Either policy, without noise. */
  act(observation: Float32Array, out: Float32Array, policy: DdpgPolicy): void {
    this.#kernel.act(this.#normalised(observation, this.#here), out, policy)
  }

  /**
   * Remembers a step. `action` is what was applied, whoever chose it; a `ruleAction` feeds the cloning term.
   * @param partition  which pair it was
   * @throws {ConfigError} those of `Agent`; nothing was stored
   */
  observe(transition: Transition, partition = 0): void {
    requireTransition(transition, this.#header.observation, this.#header.action)
    const { observation, action, reward, nextObservation, terminated, ruleAction } = transition
    if (this.#normaliser?.isCalibrated === false) {
      this.#normaliser.update(observation)
      return
    }
    const here = this.#normalised(observation, this.#here)
    const there = this.#normalised(nextObservation, this.#there)
    this.#kernel.insert(here, action, reward - this.options.rewardBaseline, there, terminated, ruleAction, partition)
  }

  /** Learns what one time step is worth; before the warm-up nothing. A non-finite update is skipped and counted. */
  update(): UpdateReport {
    if (this.#kernel.size >= this.options.warmUp) {
      this.#owed += this.options.updatesPerStep
      const whole = Math.floor(this.#owed)
      if (whole > 0) {
        this.#kernel.update(whole)
        this.#noise.countUpdates(whole)
        this.#owed -= whole
      }
    }
    return this.#kernel.report()
  }

  /** Z */
  get contextSize(): number {
    return this.#kernel.options.contextSize
  }

  /**
   * z [Z] of the pair that is acted for and learned from now on; zeros, the null context, until it is told.
   * @throws {ConfigError} `size_mismatch`, `not_finite`
   */
  setContext(z: Float32Array): void {
    this.#kernel.setContext(z)
    this.#context = z.slice()
  }

  /**
   * One update on equal shares of the named pairs [G], each seen under its own context: embeddings [G, Z] as they are, or what
   * `encoder` makes of contexts, which then learns from the critic's loss. Neither warm-up nor `updatesPerStep` count here.
   * @throws {ConfigError} `size_mismatch`, `not_finite`, `partition_invalid`, `replay_empty`; nothing changed
   */
  updatePairs(partitions: Int32Array, embeddings: Float32Array): UpdateReport
  updatePairs(partitions: Int32Array, contexts: readonly Context[], encoder: ContextEncoder): UpdateReport
  updatePairs(
    partitions: Int32Array,
    given: Float32Array | readonly Context[],
    encoder?: ContextEncoder,
  ): UpdateReport {
    if (given instanceof Float32Array) this.#kernel.updatePairs(partitions, given)
    else this.#kernel.updatePairs(partitions, given, encoder!)
    this.#noise.countUpdates(1)
    return this.#kernel.report()
  }

  /** Networks, Adam moments and the count of updates: what training in several places averages, and what a pretrained agent hands on. */
  learned(): Tensor[] {
    return this.#kernel.learned()
  }

  /** @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`; nothing changed */
  setLearned(tensors: readonly Tensor[]): void {
    this.#kernel.setLearned(tensors)
  }

  /** Call after the last step of an episode. */
  endEpisode(partition = 0): void {
    this.#noise.endEpisode(partition)
  }

  /** What was decided for this observation and what the critic expects of it. */
  explain(observation: Float32Array): DdpgExplanation {
    const action = new Float32Array(this.#header.action.names.length)
    this.decide(observation, action)
    const value = this.#kernel.q(this.#normalised(observation, this.#here), action)
    const { rewardBaseline, discount } = this.options
    return {
      inputs: this.#header.observation.names.map((name, i) => ({ name, value: observation[i]! })),
      actions: this.#header.action.names.map((name, i) => ({ name, value: action[i]! })),
      expectedReturn: value + rewardBaseline / (1 - discount),
    }
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

  /** How strongly the actor is drawn to the rule's actions, where a transition has one; 0: not at all. May be set. */
  get cloningWeight(): number {
    return this.#kernel.get('cloningWeight')
  }

  /** λ of the term that holds the actor near the rule's actions, from the next update on. @throws {ConfigError} `config_invalid` */
  setCloningWeight(weight: number): void {
    this.#kernel.set('cloningWeight', weight)
  }

  /** What the policy file's header says. */
  get header(): PolicyHeader {
    return this.#header
  }

  /**
   * Everything as a policy file (safetensors): networks, moments, replay, random streams, schedules. An agent of the
   * same setup that loads it goes on as if it had never stopped, to the bit.
   */
  save(): Uint8Array {
    return writeAgent(this.#header, this.#kernel.save(), [
      ...this.#noise.save(),
      ...(this.#normaliser?.save() ?? []),
      doubleTensor('agent.owed', [this.#owed]),
    ])
  }

  /**
   * The serving policy alone, a few kilobytes for `loadPolicy`: no replay, no optimiser, nothing to learn on with. A context is
   * folded into the first layer's biases: the policy is the one of that pair, equal but for the rounding of a sum.
   */
  savePolicy(): Uint8Array {
    return writePolicyFile(this.#header, [
      policyTensor(foldContext(this.#kernel.parameters('averagedActor'), this.#header, this.#context)),
      ...(this.#normaliser?.save() ?? []),
    ])
  }

  /**
   * Continues a saved agent. The file is judged whole first: if it is refused, this agent is as it was.
   * What can be set while learning (cloning weight, scale of the exploration) comes from the file, all other options must be its own.
   * @throws {FormatError} those of `openAgent`; `tensor_missing`, `tensor_mismatch`, `replay_invalid`
   */
  load(bytes: Bytes): void {
    const { header, reader, kernel } = openAgent(bytes, this.#header)
    const [owed] = reader.doubles('agent.owed', 1)
    const restoreNoise = this.#noise.load(reader)
    const restoreNormaliser = this.#normaliser?.load(reader)
    this.#kernel.load(kernel) // the last that may refuse
    restoreNoise()
    restoreNormaliser?.()
    this.#owed = owed!
    this.#header = header
  }

  /** May be called twice. */
  dispose(): void {
    this.#kernel.dispose()
    this.#noise.dispose()
    this.#normaliser?.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  /** What the networks see of an observation: itself, or its normalised form in `out` [S]. */
  #normalised(observation: Float32Array, out: Float32Array): Float32Array {
    return this.#normaliser?.normalise(observation, out) ?? observation
  }
}

/** W (s, z) + b = W_s s + (b + W_z z): the canonical parameters of the network that sees s alone. */
function foldContext(parameters: Float32Array, header: PolicyHeader, z: Float32Array): Float32Array {
  if (z.length === 0) return parameters
  const states = header.observation.names.length
  const inputs = states + z.length
  const outputs = header.hidden[0]!
  const folded = new Float32Array(parameters.length - outputs * z.length)
  for (let o = 0; o < outputs; o++) {
    const row = parameters.subarray(o * inputs, (o + 1) * inputs)
    folded.set(row.subarray(0, states), o * states)
    let bias = parameters[outputs * inputs + o]!
    for (let j = 0; j < z.length; j++) bias += row[states + j]! * z[j]!
    folded[outputs * states + o] = bias
  }
  folded.set(parameters.subarray(outputs * (inputs + 1)), outputs * (states + 1))
  return folded
}
