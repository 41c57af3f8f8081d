import {
  type Bytes,
  byteTensor,
  ConfigError,
  type Core,
  type CoreMath,
  doubleTensor,
  floatTensor,
  Random,
  type Space,
  type Tensor,
  type Transition,
} from '@trimtab/core'
import {
  type Context,
  type ContextEncoder,
  type PartitionContexts,
  PpoKernel,
  type PpoReport,
} from '@trimtab/core/internal'
import { openAgent, writeAgent } from './agent-file.js'
import { type AgentFamily, openSetup, type SharedAgentSetup } from './agent-setup.js'
import { requireActions, requireRows, requireTransition } from './checks.js'
import type { AgentRows, ManyImitator, ManyTransition } from './many/many-agent.js'
import { oneSided, requireExplorationScale } from './noise.js'
import { ObservationNormaliser } from './normaliser.js'
import { ppoPolicyTensors } from './policy.js'
import { type PolicyHeader, writePolicyFile } from './policy-file.js'
import { checkPpoOptions, kernelOptions, type PpoOptions, ppoDefaults, rolloutCapacity } from './ppo-options.js'
import type { SharedAgent } from './shared-agent.js'
import { headsOf } from './spaces.js'

const NONE = new Float32Array(0)

/** What a PPO agent is made of; its action may be a box or a choice for each of several heads. */
export interface PpoSetup extends SharedAgentSetup<PpoOptions> {
  /**
   * What the critic sees beside the observation and the actor never does, a box of numbers that come as they are (about ±1): every
   * step then brings its `global` and `nextGlobal`. Default: nothing.
   */
  readonly global?: Space
}

/** Why a decision was made, in the agent's own terms. */
export interface PpoExplanation {
  readonly inputs: readonly { readonly name: string; readonly value: number }[]
  readonly actions: readonly { readonly name: string; readonly value: number }[]
  /** Probabilities of the choices, head after head, or the means of a box's coordinates before they are cut to [−1, 1]. */
  readonly distribution: readonly number[]
  /** The value network's discounted sum of rewards from here on, in the reward's own units; NaN without what it sees. */
  readonly expectedReturn: number
}

/**
 * Makes an agent that knows nothing yet; `load` continues a saved one.
 *
 * Everything random in it comes from `seed`: the same seed and the same transitions give the same bytes on every host.
 *
 * @throws {ConfigError} `config_invalid` with every problem of the setup at once
 * @example
 * const agent = createPpo(core, { observation: boxSpace(['load']), action: discreteSpace('replicas', 5), seed: 1 })
 */
export function createPpo(core: Core, setup: PpoSetup): Ppo {
  const { options, header } = openSetup(FAMILY, setup)
  const { contextSize = 0, partitions = 1 } = setup
  return new Ppo(core, options, { contextSize, partitions }, header)
}

const FAMILY: AgentFamily<PpoOptions> = {
  algorithm: 'ppo',
  defaults: ppoDefaults,
  actions: ['box', 'discrete'],
  heads: 'several',
  keys: ['contextSize', 'partitions', 'global'],
  network: ({ hidden, activation, calibrationSteps }) => ({ hidden, activation, normalised: calibrationSteps > 0 }),
  checkOptions: checkPpoOptions,
}

/** Which of a seed's streams feeds the choice between a draw and the likeliest. */
const EXPLORATION_STREAM = 0x64726177

/**
 * Proximal policy optimisation (Schulman et al. 2017; SIMPPO's and Aurora's learner):
 *
 *     each step      a ~ policy(s)                                             explore
 *                    store (s, a, r, s') with log π(a | s)                     observe
 *     each rollout   values, advantages (λ), then epochs of clipped            update
 *                    mini-batch steps; the rollout is forgotten
 *     to serve       the likeliest a                                           decide
 *
 * It learns from what its own policy did since the last update: steps of others (a rule, a random probe) are taken as if the
 * policy had drawn them. After a time limit call `endEpisode`: the future keeps its value. A step observed on a full rollout
 * starts a new one.
 *
 * One policy may act for many agents at once, a partition each: `exploreMany`, `observeMany`, `decideMany`. An agent that leaves
 * ends its partition's episode, and another one may take it.
 *
 * S: observation entries, A: action entries; a discrete action is an index a head. N: agents, G: global entries.
 */
export class Ppo implements SharedAgent, ManyImitator {
  readonly name: string
  readonly options: PpoOptions
  readonly contextSize: number
  readonly isOnPolicy: boolean = true
  readonly #kernel: PpoKernel
  readonly #normaliser: ObservationNormaliser | undefined
  readonly #here: Float32Array // [S], normalised
  readonly #there: Float32Array // [S], normalised
  readonly #mean: Float32Array // [A]
  /** What `explore` drew last for each partition before it was cut to [−1, 1], [P, A]; 0 once it was observed. */
  readonly #drawn: Float32Array
  /** Row i of a call is of partition i unless it says otherwise [P]. */
  readonly #inOrder: Int32Array
  readonly #isDiscrete: boolean
  readonly #math: CoreMath
  /** Feeds the choice between a draw and the likeliest; the policy's own draws have the kernel's stream. */
  readonly #random: Random
  #scale = 1
  #header: PolicyHeader
  /** No step of an episode waits for the next one. */
  #isBetweenEpisodes = true
  /** Pairs that `updatePairs` has learned from since the last step. */
  readonly #learned: Set<number> = new Set()

  /** Use `createPpo`, which checks what it is given. */
  constructor(
    core: Core,
    options: PpoOptions,
    shape: { readonly contextSize: number; readonly partitions: number },
    header: PolicyHeader,
  ) {
    const stateSize = header.observation.names.length
    const isDiscrete = header.action.kind === 'discrete'
    const heads = headsOf(header.action)
    this.#isDiscrete = isDiscrete
    this.#math = core.math
    this.name = `ppo/${header.preset}`
    this.options = options
    this.contextSize = shape.contextSize
    this.#header = header
    this.#kernel = new PpoKernel(core, {
      ...kernelOptions(core, options, shape.partitions),
      contextSize: shape.contextSize,
      globalSize: header.global?.names.length ?? 0,
      stateSize,
      actionSize: isDiscrete ? heads.reduce((sum, choices) => sum + choices, 0) : header.action.names.length,
      heads,
      policy: isDiscrete ? 'categorical' : 'gaussian',
      seed: header.seed,
    })
    this.#random = new Random(core, header.seed, EXPLORATION_STREAM)
    this.#normaliser =
      options.calibrationSteps > 0 ? new ObservationNormaliser(core, stateSize, options.calibrationSteps) : undefined
    this.#here = new Float32Array(stateSize)
    this.#there = new Float32Array(stateSize)
    this.#mean = new Float32Array(header.action.names.length)
    this.#drawn = new Float32Array(shape.partitions * header.action.names.length)
    this.#inOrder = Int32Array.from({ length: shape.partitions }, (_, partition) => partition)
  }

  /** The likeliest action: fills `out` [A]. A NaN in the observation comes out as NaN, for the guard to catch. */
  decide(observation: Float32Array, out: Float32Array): void {
    this.#kernel.act(this.#normalised(observation, this.#here), out)
    this.#cut(out)
  }

  /** A draw from the policy; coordinates of a box are cut to [−1, 1]. A `sides` entry folds the draw to that side of the mean. */
  explore(observation: Float32Array, out: Float32Array, partition = 0, sides?: readonly (-1 | 0 | 1)[]): void {
    const input = this.#normalised(observation, this.#here)
    if (this.#isDiscrete) {
      const isDrawn = this.#scale >= 1 || this.#random.uniform() < this.#scale
      if (isDrawn) this.#kernel.sample(input, out)
      else this.#kernel.act(input, out)
      return
    }
    this.#kernel.sample(input, out)
    if (this.#scale !== 1 || sides) this.#shape(input, out, sides)
    this.#drawnBy(partition).set(out)
    this.#cut(out)
  }

  /**
   * `decide` for N agents in one call into the core: observations [N, S] → `out` [N, A], N up to `partitions`.
   * @throws {ConfigError} `size_mismatch`
   */
  decideMany(observations: Float32Array, out: Float32Array, { contexts }: AgentRows = {}): void {
    this.#kernel.many.act(this.#normalisedRows(observations, out), out, contexts)
    this.#cut(out)
  }

  /**
   * `explore` for N agents in one call into the core: observations [N, S] → `out` [N, A], N up to `partitions`.
   * @throws {ConfigError} `size_mismatch`, `partition_invalid`
   */
  exploreMany(observations: Float32Array, out: Float32Array, rows: AgentRows = {}): void {
    const input = this.#normalisedRows(observations, out)
    const size = this.#mean.length
    const partitions = this.#partitionsOf(rows, out.length / size)
    this.#kernel.many.sample(input, out, rows.contexts)
    if (this.#scale !== 1) this.#towardsLikeliest(input, out, rows.contexts)
    if (this.#isDiscrete) return
    for (const [i, partition] of partitions.entries())
      this.#drawnBy(partition).set(out.subarray(i * size, (i + 1) * size))
    this.#cut(out)
  }

  /** A factor on the deviations of a box's draws, or the share of choices that are drawn rather than the likeliest; 1 unless set. */
  get explorationScale(): number {
    return this.#scale
  }

  set explorationScale(scale: number) {
    requireExplorationScale(scale)
    this.#scale = scale
  }

  /** Mean deviation of a box's draws now, or the share of choices that are drawn. */
  get explorationLevel(): number {
    if (this.#isDiscrete) return Math.min(1, this.#scale)
    const logDeviations = this.#kernel.parameters('policy').subarray(-this.#header.action.names.length)
    return (this.#scale * logDeviations.reduce((sum, x) => sum + this.#math.exp(x), 0)) / logDeviations.length
  }

  /** z [Z] behind every observation from now on; zeros, the null context, at creation. @throws {ConfigError} `size_mismatch`, `not_finite` */
  setContext(z: Float32Array): void {
    this.#kernel.setContext(z)
  }

  /**
   * Remembers a step. `action` is what was applied, whoever chose it; a coordinate that `explore` had to cut counts as it was drawn.
   * @throws {ConfigError} those of `Agent`; nothing was stored
   */
  observe(transition: Transition, partition = 0): void {
    const space = this.#header.global
    requireTransition(transition, this.#header.observation, this.#header.action, space)
    this.#partitionsOf({ partitions: Int32Array.of(partition) }, 1)
    const { observation, action, reward, nextObservation, terminated } = transition
    const [global, nextGlobal] = space ? [transition.global, transition.nextGlobal] : []
    if (this.#normaliser?.isCalibrated === false) {
      this.#normaliser.update(observation)
      return
    }
    this.#makeRoom()
    const here = this.#normalised(observation, this.#here)
    const there = this.#normalised(nextObservation, this.#there)
    const drawn = this.#asDrawn(action, this.#drawnBy(partition))
    this.#kernel.insert(here, drawn, this.#scaled(reward), there, terminated, partition, global, nextGlobal)
    this.#drawnBy(partition).fill(0)
    this.#isBetweenEpisodes = terminated
  }

  /**
   * Remembers a step of N agents in one call into the core. One whose numbers are not all finite is left out, and its partition's
   * episode ends there.
   * @returns how many were stored
   * @throws {ConfigError} `size_mismatch`, `action_invalid`, `partition_invalid`; nothing was stored
   */
  observeMany(step: ManyTransition): number {
    const { observations, actions, rewards, nextObservations, globals = NONE, nextGlobals = NONE, contexts } = step
    const partitions = this.#partitionsOf(step, rewards.length)
    requireActions(actions, this.#header.action)
    if (this.#normaliser?.isCalibrated === false) {
      this.#calibrate(observations)
      return 0
    }
    const size = this.#mean.length
    const drawnAt = (i: number): number => this.#drawn[partitions[Math.floor(i / size)]! * size + (i % size)]!
    const { many } = this.#kernel
    const rows = {
      states: this.#normalisedRows(observations, actions),
      actions: this.#isDiscrete ? actions : actions.map((x, i) => asDrawn(x, drawnAt(i))),
      rewards: Float64Array.from(rewards, (reward) => this.#scaled(reward)),
      nextStates: this.#normalisedRows(nextObservations, actions),
      ...{ globals, nextGlobals, partitions, contexts },
    }
    many.check(rows)
    this.#makeRoom()
    const stored = many.append(rows)
    for (const partition of partitions) this.#drawnBy(partition).fill(0)
    this.#isBetweenEpisodes = false
    return stored
  }

  /** Whether the rollout is complete: the next `update` learns from it. */
  get isDue(): boolean {
    const { rolloutSteps, returns } = this.options
    const { size } = this.#kernel
    if (size < rolloutSteps) return false
    return returns === 'gae' || this.#isBetweenEpisodes || size >= rolloutCapacity(this.options)
  }

  /** Learns once a rollout is complete, all its epochs; before that it only reports. Non-finite steps are skipped and counted. */
  update(): PpoReport {
    if (this.isDue) {
      this.#kernel.update(this.options.epochs)
      this.#learned.clear()
    }
    return this.#kernel.report()
  }

  /**
   * Learns to do what was done in the rollout, complete or not, likely or not, worth it or not, and what it was worth; the rollout is
   * forgotten. For the steps of a rule: see `imitate`.
   */
  imitate(): PpoReport {
    if (this.#kernel.size > 0) this.#kernel.imitate(this.options.epochs)
    this.#learned.clear()
    return this.#kernel.report()
  }

  /**
   * Learns from the named pairs' part of a complete rollout, each seen with its own embedding: encoded here and now, with the
   * slopes of the value loss going back into the encoder after each epoch, or given as they are [G, Z]. A pair that was learned
   * from, or has no steps, is passed over; the next step that is observed starts a new rollout.
   * @throws {ConfigError} `size_mismatch`, `not_finite`, `partition_invalid`; nothing changed
   */
  updatePairs(partitions: Int32Array, contexts: readonly Context[], encoder: ContextEncoder): PpoReport
  updatePairs(partitions: Int32Array, embeddings: Float32Array): PpoReport
  updatePairs(
    partitions: Int32Array,
    contexts: readonly Context[] | Float32Array,
    encoder?: ContextEncoder,
  ): PpoReport {
    if (!this.isDue) return this.#kernel.report()
    const places = [...partitions.keys()].filter((g) => this.#isFresh(partitions, g))
    if (places.length > 0) {
      const chosen = Int32Array.from(places, (g) => partitions[g]!)
      this.#kernel.updatePairs(this.options.epochs, chosen, this.#contextsAt(places, contexts, encoder))
      for (const partition of chosen) this.#learned.add(partition)
    }
    return this.#kernel.report()
  }

  /** Call after the last step of an episode: where it did not terminate, a time limit cut it. */
  endEpisode(partition = 0): void {
    this.#kernel.endEpisode(partition)
    this.#isBetweenEpisodes = true
  }

  /**
   * What was decided for this observation and what the value network expects of it.
   * @param global  what that sees beside it [G], where it does
   */
  explain(observation: Float32Array, global?: Float32Array): PpoExplanation {
    const { action, observation: space } = this.#header
    const chosen = new Float32Array(action.names.length)
    this.decide(observation, chosen)
    const input = this.#normalised(observation, this.#here)
    const distribution = new Float32Array(this.#kernel.options.actionSize)
    this.#kernel.distribution(input, distribution)
    const { rewardBaseline, rewardScale, discount } = this.options
    const isSeen = global !== undefined || this.#header.global === undefined
    const value = isSeen ? this.#kernel.value(input, global) : Number.NaN
    return {
      inputs: space.names.map((name, i) => ({ name, value: observation[i]! })),
      actions: action.names.map((name, i) => ({ name, value: chosen[i]! })),
      distribution: [...distribution],
      expectedReturn: value / rewardScale + rewardBaseline / (1 - discount),
    }
  }

  /** Steps remembered now. */
  get size(): number {
    return this.#kernel.size
  }

  /** What the policy file's header says. */
  get header(): PolicyHeader {
    return this.#header
  }

  /** Networks and Adam moments: what shards average and what a pretrained learner hands on. */
  learned(): Tensor[] {
    return this.#kernel.learned()
  }

  /** @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`; nothing changed */
  setLearned(tensors: readonly Tensor[]): void {
    this.#kernel.setLearned(tensors)
  }

  /**
   * Everything as a policy file (safetensors): networks, moments, rollout, random streams. An agent of the same setup that
   * loads it goes on as if it had never stopped, to the bit.
   */
  save(): Uint8Array {
    const learned = [...Array(this.#kernel.options.partitions).keys()].map((p) => Number(this.#learned.has(p)))
    return writeAgent(this.#header, this.#kernel.save(), [
      ...(this.#normaliser?.save() ?? []),
      floatTensor('agent.drawn', [this.#drawn.length], this.#drawn),
      byteTensor('exploration.random', this.#random.save()),
      doubleTensor('agent.episode', [Number(this.#isBetweenEpisodes), this.#scale]),
      doubleTensor('agent.learned', learned),
    ])
  }

  /** The serving policy alone, a few kilobytes for `loadPolicy`: nothing to learn on with. */
  savePolicy(): Uint8Array {
    return writePolicyFile(this.#header, [
      ...ppoPolicyTensors(this.#kernel.save()),
      ...(this.#normaliser?.save() ?? []),
    ])
  }

  /**
   * Continues a saved agent. The file is judged whole first: if it is refused, this agent is as it was.
   * @throws {FormatError} those of `openAgent`; `tensor_missing`, `tensor_mismatch`, `rollout_invalid`
   */
  load(bytes: Bytes): void {
    const { header, reader, kernel } = openAgent(bytes, this.#header)
    const drawn = reader.floats('agent.drawn', [this.#drawn.length])
    const random = reader.bytes('exploration.random', this.#random.save().length)
    const [isBetween, scale] = reader.doubles('agent.episode', 2)
    const learned = reader.doubles('agent.learned', this.#kernel.options.partitions)
    const restoreNormaliser = this.#normaliser?.load(reader)
    this.#kernel.load(kernel) // the last that may refuse
    restoreNormaliser?.()
    this.#drawn.set(drawn)
    this.#random.load(random)
    this.#isBetweenEpisodes = isBetween === 1
    this.#scale = scale!
    this.#learned.clear()
    for (const [partition, was] of learned.entries()) if (was === 1) this.#learned.add(partition)
    this.#header = header
  }

  /** May be called twice. */
  dispose(): void {
    this.#kernel.dispose()
    this.#random.dispose()
    this.#normaliser?.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  /** A step observed on a full rollout, or on one that was learned from, starts a new one. */
  #makeRoom(): void {
    if (this.#learned.size === 0 && this.#kernel.size < rolloutCapacity(this.options)) return
    this.#kernel.clear()
    this.#learned.clear()
  }

  #scaled(reward: number): number {
    return (reward - this.options.rewardBaseline) * this.options.rewardScale
  }

  /** Counts the rows of observations that are finite in, as far as the calibration goes. */
  #calibrate(observations: Float32Array): void {
    const size = this.#here.length
    for (let at = 0; at < observations.length && this.#normaliser?.isCalibrated === false; at += size) {
      const row = observations.subarray(at, at + size)
      if (row.every(Number.isFinite)) this.#normaliser.update(row)
    }
  }

  /** Draws [N, A] of a scaled exploration: choices that are drawn as seldom as that, or draws as much nearer to their means. */
  #towardsLikeliest(input: Float32Array, drawn: Float32Array, contexts: Float32Array | undefined): void {
    const likeliest = new Float32Array(drawn.length)
    this.#kernel.many.act(input, likeliest, contexts)
    const size = this.#mean.length
    for (let at = 0; at < drawn.length; at += size) {
      const isDrawn = this.#isDiscrete && (this.#scale >= 1 || this.#random.uniform() < this.#scale)
      for (let i = at; i < at + size && !isDrawn; i++) {
        const gap = this.#isDiscrete ? 0 : this.#scale * (drawn[i]! - likeliest[i]!)
        drawn[i] = likeliest[i]! + gap
      }
    }
  }

  #partitionsOf({ partitions }: AgentRows, n: number): Int32Array {
    const found = partitions ?? this.#inOrder.subarray(0, n)
    if (found.length === n && found.every((partition) => this.#inOrder[partition] === partition)) return found
    throw new ConfigError(
      'partition_invalid',
      `each of ${n} agents needs a partition of its own in 0 … ${this.#inOrder.length - 1}, got [${found.join(', ')}] (set partitions)`,
    )
  }

  /** Whether the g-th named pair comes for the first time and was not learned from. */
  #isFresh(partitions: Int32Array, g: number): boolean {
    const partition = partitions[g]!
    return partitions.indexOf(partition) === g && !this.#learned.has(partition) && this.#kernel.stepsOf(partition) > 0
  }

  #contextsAt(
    places: readonly number[],
    contexts: readonly Context[] | Float32Array,
    encoder: ContextEncoder | undefined,
  ): PartitionContexts {
    if (!(contexts instanceof Float32Array)) return { contexts: places.map((g) => contexts[g]!), encoder: encoder! }
    const z = this.contextSize
    const rows = new Float32Array(places.length * z)
    for (const [i, g] of places.entries()) rows.set(contexts.subarray(g * z, (g + 1) * z), i * z)
    return rows
  }

  /** Brings a draw [A] of the policy to the scale and the sides of the exploration. */
  #shape(input: Float32Array, drawn: Float32Array, sides: readonly (-1 | 0 | 1)[] | undefined): void {
    this.#kernel.act(input, this.#mean)
    for (const [i, mean] of this.#mean.entries()) {
      drawn[i] = mean + oneSided(this.#scale * (drawn[i]! - mean), sides?.[i] ?? 0)
    }
  }

  #drawnBy(partition: number): Float32Array {
    const size = this.#mean.length
    return this.#drawn.subarray(partition * size, (partition + 1) * size)
  }

  /** Cuts a box's action to [−1, 1]; an index stays. */
  #cut(out: Float32Array): void {
    if (this.#isDiscrete) return
    for (let i = 0; i < out.length; i++) out[i] = Math.min(1, Math.max(-1, out[i]!))
  }

  /** The action with the coordinates that `explore` cut as they were drawn: the policy's density is meant for those. */
  #asDrawn(action: Float32Array, draws: Float32Array): Float32Array {
    return this.#isDiscrete ? action : action.map((x, i) => asDrawn(x, draws[i] ?? x))
  }

  /** What the networks see of an observation: itself, or its normalised form in `out` [S]. */
  #normalised(observation: Float32Array, out: Float32Array): Float32Array {
    return this.#normaliser?.normalise(observation, out) ?? observation
  }

  /** The same of N rows, whose actions have as many. */
  #normalisedRows(observations: Float32Array, actions: Float32Array): Float32Array {
    const size = this.#here.length
    requireRows(observations, size, actions, this.#mean.length)
    if (!this.#normaliser) return observations
    const out = new Float32Array(observations.length)
    for (let at = 0; at < out.length; at += size)
      this.#normaliser.normalise(observations.subarray(at, at + size), out.subarray(at, at + size))
    return out
  }
}

/** A coordinate that was cut counts as it was drawn: the policy's density is meant for that. */
const asDrawn = (x: number, drawn: number): number => ((x === 1 && drawn > 1) || (x === -1 && drawn < -1) ? drawn : x)
