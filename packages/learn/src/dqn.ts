import {
  type Bytes,
  byteTensor,
  type Core,
  doubleTensor,
  Random,
  type Tensor,
  type Transition,
  type UpdateReport,
} from '@trimtab/core'
import { type Context, type ContextEncoder, DqnKernel, type GuardReport } from '@trimtab/core/internal'
import { openAgent, writeAgent } from './agent-file.js'
import { type AgentFamily, openSetup, type SharedAgentSetup } from './agent-setup.js'
import { requireTransition } from './checks.js'
import { checkDqnOptions, type DqnOptions, dqnDefaults } from './dqn-options.js'
import { epsilonAt } from './epsilon.js'
import { requireExplorationScale } from './noise.js'
import { dqnPolicyTensors } from './policy.js'
import { type PolicyHeader, writePolicyFile } from './policy-file.js'
import type { SharedAgent } from './shared-agent.js'
import { choicesOf } from './spaces.js'

/** What a DQN agent is made of. */
export interface DqnSetup extends SharedAgentSetup<DqnOptions> {
  /** Most pairs that one update mixes. Default 1. */
  readonly maxGroups?: number
}

/** Updates done and given up; `criticLoss` is the loss of Q, there is no actor. */
export type DqnUpdateReport = UpdateReport & GuardReport

/** Why a decision was made, in the agent's own terms. */
export interface DqnExplanation {
  readonly inputs: readonly { readonly name: string; readonly value: number }[]
  readonly choice: number
  /** The discounted sum of rewards that each choice is expected to bring, the baseline added back. */
  readonly expectedReturns: Float32Array
}

/**
 * Makes an agent that knows nothing yet; `load` continues a saved one.
 *
 * Everything random in it comes from `seed`: the same seed and the same transitions give the same bytes on every host.
 *
 * @throws {ConfigError} `config_invalid` with every problem of the setup at once
 * @example
 * const agent = createDqn(core, { observation: boxSpace(['load']), action: discreteSpace('frequency', 11), seed: 1 })
 */
export function createDqn(core: Core, setup: DqnSetup): Dqn {
  const { options, header } = openSetup(FAMILY, setup)
  const { contextSize = 0, partitions = 1, maxGroups = 1 } = setup
  return new Dqn(core, options, { contextSize, partitions, maxGroups }, header)
}

const FAMILY: AgentFamily<DqnOptions> = {
  algorithm: 'dqn',
  defaults: dqnDefaults,
  actions: ['discrete'],
  heads: 'one',
  keys: ['contextSize', 'partitions', 'maxGroups'],
  network: ({ hidden }) => ({ hidden, normalised: false }),
  checkOptions: checkDqnOptions,
}

/** Which of a seed's streams feeds exploration: far from the low ones that the kernel takes for weights and replay. */
const EXPLORATION_STREAM = 0x65707369

/**
 * Deep Q-learning (Mnih et al. 2015; double: van Hasselt et al. 2016), SmartOverclock's learner (dissertation 5.6.3):
 *
 *     each step     a = anything with probability ε, else the best        explore
 *                   store (s, a, r − baseline, s')                        observe
 *                   Q(s, a) towards r + γ·Q'(s', a'), Q' follows          update
 *     to serve      the best action                                       decide
 *
 * An action is one index, in an array of one number. A time limit is no end: store it with `terminated: false`.
 * S: observation entries, A: choices, Z: context.
 */
export class Dqn implements SharedAgent {
  readonly name: string
  readonly options: DqnOptions
  readonly #kernel: DqnKernel
  readonly #random: Random
  readonly #choices: number
  #header: PolicyHeader
  /** Updates owed: grows by `updatesPerStep`, whole ones are paid. */
  #owed = 0
  /** Steps explored. */
  #steps = 0
  #explorationScale = 1

  /** Use `createDqn`, which checks what it is given. */
  constructor(
    core: Core,
    options: DqnOptions,
    sharing: { readonly contextSize: number; readonly partitions: number; readonly maxGroups: number },
    header: PolicyHeader,
  ) {
    this.name = `dqn/${header.preset}`
    this.options = options
    this.#header = header
    this.#choices = choicesOf(header.action)
    this.#kernel = new DqnKernel(core, {
      ...options,
      ...sharing,
      stateSize: header.observation.names.length,
      actions: this.#choices,
      seed: header.seed,
    })
    this.#random = new Random(core, header.seed, EXPLORATION_STREAM)
  }

  /** The best action, the first of equals: fills `out` [1]. NaN where the observation is not finite, for the guard to catch. */
  decide(observation: Float32Array, out: Float32Array): void {
    out[0] = this.#kernel.best(observation)
  }

  /** The behaviour policy while learning: any action with probability ε. */
  explore(observation: Float32Array, out: Float32Array): void {
    const isRandom = this.#random.uniform() < this.explorationLevel
    this.#steps++
    if (isRandom) out[0] = this.#random.integer(this.#choices)
    else this.decide(observation, out)
  }

  /** ε now, the share of random actions: schedule × `explorationScale`, at most 1. */
  get explorationLevel(): number {
    return Math.min(1, this.#explorationScale * epsilonAt(this.options.epsilon, this.#steps))
  }

  /** A factor on the scheduled ε, 1 unless set. */
  get explorationScale(): number {
    return this.#explorationScale
  }

  set explorationScale(scale: number) {
    requireExplorationScale(scale)
    this.#explorationScale = scale
  }

  /**
   * Remembers a step; `action` [1] is what was applied, whoever chose it.
   * @param partition  which pair it was
   * @throws {ConfigError} those of `Agent`; nothing was stored
   */
  observe(transition: Transition, partition = 0): void {
    requireTransition(transition, this.#header.observation, this.#header.action)
    const { observation, action, reward, nextObservation, terminated } = transition
    const centred = reward - this.options.rewardBaseline
    this.#kernel.insert(observation, action[0]!, centred, nextObservation, terminated, partition)
  }

  /** Learns from the first pair what one time step is worth; before the warm-up nothing. */
  update(): DqnUpdateReport {
    if (this.#kernel.sizeOf(0) >= this.options.warmUp) {
      this.#owed += this.options.updatesPerStep
      const whole = Math.floor(this.#owed)
      if (whole > 0) {
        this.#kernel.update(whole)
        this.#owed -= whole
      }
    }
    return this.#report()
  }

  /** Nothing ends with an episode: ε goes by steps. */
  endEpisode(): void {}

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
  }

  /**
   * One update on equal shares of the named pairs [G], each seen under its own context: embeddings [G, Z] as they are, or what
   * `encoder` makes of contexts, which then learns from the same loss. Neither warm-up nor `updatesPerStep` count here.
   * @throws {ConfigError} `size_mismatch`, `not_finite`, `partition_invalid`, `replay_empty`; nothing changed
   */
  updatePairs(partitions: Int32Array, embeddings: Float32Array): DqnUpdateReport
  updatePairs(partitions: Int32Array, contexts: readonly Context[], encoder: ContextEncoder): DqnUpdateReport
  updatePairs(
    partitions: Int32Array,
    given: Float32Array | readonly Context[],
    encoder?: ContextEncoder,
  ): DqnUpdateReport {
    if (given instanceof Float32Array) this.#kernel.updatePairs(partitions, given)
    else this.#kernel.updatePairs(partitions, given, encoder!)
    return this.#report()
  }

  /** Networks, Adam moments and the count of updates: what training in several places averages, and what a pretrained agent hands on. */
  learned(): Tensor[] {
    return this.#kernel.learned()
  }

  /** @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`; nothing changed */
  setLearned(tensors: readonly Tensor[]): void {
    this.#kernel.setLearned(tensors)
  }

  /** Transitions remembered now, of all pairs. */
  get size(): number {
    return this.#kernel.size
  }

  /** What was decided for this observation and what each choice is expected to bring. */
  explain(observation: Float32Array): DqnExplanation {
    const expectedReturns = new Float32Array(this.#choices)
    const choice = this.#kernel.best(observation, expectedReturns)
    const { rewardBaseline, discount } = this.options
    return {
      inputs: this.#header.observation.names.map((name, i) => ({ name, value: observation[i]! })),
      choice,
      expectedReturns: expectedReturns.map((value) => value + rewardBaseline / (1 - discount)),
    }
  }

  /** What the policy file's header says. */
  get header(): PolicyHeader {
    return this.#header
  }

  /** Everything as a policy file (safetensors); an agent of the same setup that loads it goes on to the bit. */
  save(): Uint8Array {
    return writeAgent(this.#header, this.#kernel.save(), [
      byteTensor('exploration.random', this.#random.save()),
      doubleTensor('agent.progress', [this.#owed, this.#steps, this.#explorationScale]),
    ])
  }

  /** The network alone, for `loadPolicy`, in the context that is set now. */
  savePolicy(): Uint8Array {
    return writePolicyFile(this.#header, dqnPolicyTensors(this.#kernel.save()))
  }

  /**
   * Continues a saved agent. The file is judged whole first: if it is refused, this agent is as it was.
   * @throws {FormatError} those of `openAgent`; `tensor_missing`, `tensor_mismatch`, `replay_invalid`
   */
  load(bytes: Bytes): void {
    const { header, reader, kernel } = openAgent(bytes, this.#header)
    const random = reader.bytes('exploration.random', this.#random.save().length)
    const [owed, steps, scale] = reader.doubles('agent.progress', 3) as unknown as [number, number, number]
    this.#kernel.load(kernel) // the last that may refuse
    this.#random.load(random)
    this.#owed = owed
    this.#steps = steps
    this.#explorationScale = scale
    this.#header = header
  }

  /** May be called twice. */
  dispose(): void {
    this.#kernel.dispose()
    this.#random.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #report(): DqnUpdateReport {
    const { updates, skipped, restored, loss, meanQ } = this.#kernel.report()
    return { updates, skipped, restored, criticLoss: loss, actorLoss: 0, meanQ }
  }
}
