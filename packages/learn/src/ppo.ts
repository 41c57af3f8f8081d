import {
  type Bytes,
  byteTensor,
  type Core,
  type CoreMath,
  doubleTensor,
  floatTensor,
  Random,
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
import { requireTransition } from './checks.js'
import { oneSided, requireExplorationScale } from './noise.js'
import { ObservationNormaliser } from './normaliser.js'
import { ppoPolicyTensors } from './policy.js'
import { type PolicyHeader, writePolicyFile } from './policy-file.js'
import { checkPpoOptions, kernelOptions, type PpoOptions, ppoDefaults, rolloutCapacity } from './ppo-options.js'
import type { SharedAgent } from './shared-agent.js'

/** What a PPO agent is made of; its action may be a box or one choice. */
export type PpoSetup = SharedAgentSetup<PpoOptions>

/** Why a decision was made, in the agent's own terms. */
export interface PpoExplanation {
  readonly inputs: readonly { readonly name: string; readonly value: number }[]
  readonly actions: readonly { readonly name: string; readonly value: number }[]
  /** Probabilities of the choices, or the means of a box's coordinates before they are cut to [−1, 1]. */
  readonly distribution: readonly number[]
  /** The value network's discounted sum of rewards from here on, in the reward's own units. */
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
  keys: ['contextSize', 'partitions'],
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
 * starts a new one. S: observation entries, A: action entries; a discrete action is one index.
 */
export class Ppo implements SharedAgent {
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
    this.#isDiscrete = isDiscrete
    this.#math = core.math
    this.name = `ppo/${header.preset}`
    this.options = options
    this.contextSize = shape.contextSize
    this.#header = header
    this.#kernel = new PpoKernel(core, {
      ...kernelOptions(core, options),
      ...shape,
      stateSize,
      actionSize: isDiscrete ? header.action.high[0]! + 1 : header.action.names.length,
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
    requireTransition(transition, this.#header.observation, this.#header.action)
    const { observation, action, reward, nextObservation, terminated } = transition
    if (this.#normaliser?.isCalibrated === false) {
      this.#normaliser.update(observation)
      return
    }
    if (this.#learned.size > 0 || this.#kernel.size >= rolloutCapacity(this.options)) this.#startRollout()
    const here = this.#normalised(observation, this.#here)
    const there = this.#normalised(nextObservation, this.#there)
    const { rewardBaseline, rewardScale } = this.options
    const scaled = (reward - rewardBaseline) * rewardScale
    this.#kernel.insert(here, this.#asDrawn(action, partition), scaled, there, terminated, partition)
    this.#drawnBy(partition).fill(0)
    this.#isBetweenEpisodes = terminated
  }

  /** Learns once a rollout is complete, all its epochs; before that it only reports. Non-finite steps are skipped and counted. */
  update(): PpoReport {
    if (this.#isDue) {
      this.#kernel.update(this.options.epochs)
      this.#learned.clear()
    }
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
    if (!this.#isDue) return this.#kernel.report()
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

  /** What was decided for this observation and what the value network expects of it. */
  explain(observation: Float32Array): PpoExplanation {
    const { action, observation: space } = this.#header
    const chosen = new Float32Array(action.names.length)
    this.decide(observation, chosen)
    const input = this.#normalised(observation, this.#here)
    const distribution = new Float32Array(this.#kernel.options.actionSize)
    this.#kernel.distribution(input, distribution)
    const { rewardBaseline, rewardScale, discount } = this.options
    return {
      inputs: space.names.map((name, i) => ({ name, value: observation[i]! })),
      actions: action.names.map((name, i) => ({ name, value: chosen[i]! })),
      distribution: [...distribution],
      expectedReturn: this.#kernel.value(input) / rewardScale + rewardBaseline / (1 - discount),
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

  get #isDue(): boolean {
    const { rolloutSteps, returns } = this.options
    const { size } = this.#kernel
    if (size < rolloutSteps) return false
    return returns === 'gae' || this.#isBetweenEpisodes || size >= rolloutCapacity(this.options)
  }

  #startRollout(): void {
    this.#kernel.clear()
    this.#learned.clear()
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
  #asDrawn(action: Float32Array, partition: number): Float32Array {
    if (this.#isDiscrete) return action
    const draws = this.#drawnBy(partition)
    return action.map((x, i) => {
      const drawn = draws[i] ?? x
      return (x === 1 && drawn > 1) || (x === -1 && drawn < -1) ? drawn : x
    })
  }

  /** What the networks see of an observation: itself, or its normalised form in `out` [S]. */
  #normalised(observation: Float32Array, out: Float32Array): Float32Array {
    return this.#normaliser?.normalise(observation, out) ?? observation
  }
}
