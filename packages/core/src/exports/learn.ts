// Generated from assembly/ by scripts/build-abi.mjs.
import { SharedExports } from './shared.js'

/** What assembly/learn.ts exports: kernels of what learns. Pointers are byte offsets in `memory`. */
export class LearnExports extends SharedExports {
  /**
   * Options at `pointer`. weightDecay: L2, or with `decoupled` of the weights themselves (AdamW); maxNorm: of the gradient, 0
   * for no clipping.
   */
  adam_configure(
    pointer: number,
    learningRate: number,
    beta1: number,
    beta2: number,
    epsilon: number,
    weightDecay: number,
    maxNorm: number,
    decoupled: number,
  ): void {
    try {
      this.raw.adam_configure!(pointer, learningRate, beta1, beta2, epsilon, weightDecay, maxNorm, decoupled)
    } catch (cause) {
      throw this.failed('adam_configure', cause)
    }
  }

  /** Bytes of the options that `adam_configure` fills. */
  adam_options_bytes(): number {
    try {
      return this.raw.adam_options_bytes!() >>> 0
    } catch (cause) {
      throw this.failed('adam_options_bytes', cause)
    }
  }

  /** `adam` for a gradient of any origin; theta, g, m, v [n]. 0, or NOT_FINITE and nothing changed. */
  adam_step(options: number, theta: number, g: number, m: number, v: number, n: number, step: number): number {
    try {
      return this.raw.adam_step!(options, theta, g, m, v, n, step)
    } catch (cause) {
      throw this.failed('adam_step', cause)
    }
  }

  /** The io record's action = the candidate that the first critic likes best. which: 0 the nets that learn, 1 their slow targets. */
  bcq_act(pointer: number, which: number): void {
    try {
      this.raw.bcq_act!(pointer, which)
    } catch (cause) {
      throw this.failed('bcq_act', cause)
    }
  }

  /** Bytes of an agent. */
  bcq_bytes(shape: number): number {
    try {
      return this.raw.bcq_bytes!(shape)
    } catch (cause) {
      throw this.failed('bcq_bytes', cause)
    }
  }

  /** Numbers in the canonical layout of a net. */
  bcq_canonical(pointer: number, net: number): number {
    try {
      return this.raw.bcq_canonical!(pointer, net)
    } catch (cause) {
      throw this.failed('bcq_canonical', cause)
    }
  }

  /** Everything that stays as it is while the agent learns. */
  bcq_configure(
    pointer: number,
    learningRate: number,
    discount: number,
    targetRate: number,
    reach: number,
    pessimism: number,
    divergenceWeight: number,
  ): void {
    try {
      this.raw.bcq_configure!(pointer, learningRate, discount, targetRate, reach, pessimism, divergenceWeight)
    } catch (cause) {
      throw this.failed('bcq_configure', cause)
    }
  }

  /** Copies one net's part of a block to (`toFlat`) or from the canonical layout [bcq_canonical], which makes
   * what is there the last good. The target block holds perturbation and critics. */
  bcq_convert(pointer: number, block: number, net: number, canonical: number, toFlat: number): void {
    try {
      this.raw.bcq_convert!(pointer, block, net, canonical, toFlat)
    } catch (cause) {
      throw this.failed('bcq_convert', cause)
    }
  }

  /**
   * Makes an agent in `base`, `bcq_bytes` long: random nets, targets as copies, nothing stored, acting latents [C, Z]. The
   * latents that it acts with are
   * drawn here, once, so that acting is a function of the state; the first of them is the middle of the prior.
   */
  bcq_create(base: number, shape: number, seedLow: number, seedHigh: number, latentBound: number): void {
    try {
      this.raw.bcq_create!(base, shape, seedLow, seedHigh, latentBound)
    } catch (cause) {
      throw this.failed('bcq_create', cause)
    }
  }

  /** Draws the chance of one update: ε of the encoder, latents of the candidates. */
  bcq_draw(pointer: number): void {
    try {
      this.raw.bcq_draw!(pointer)
    } catch (cause) {
      throw this.failed('bcq_draw', cause)
    }
  }

  /** A figure or setting, `which` of BCQ_LEARNING_RATE … BCQ_CURSOR; losses are those of the last update. */
  bcq_get(pointer: number, which: number): number {
    try {
      return this.raw.bcq_get!(pointer, which)
    } catch (cause) {
      throw this.failed('bcq_get', cause)
    }
  }

  /** The goals for dense values [n, candidates] of any origin. */
  bcq_goals(
    first: number,
    second: number,
    rewards: number,
    terminated: number,
    goals: number,
    n: number,
    candidates: number,
    pessimism: number,
    discount: number,
  ): void {
    try {
      this.raw.bcq_goals!(first, second, rewards, terminated, goals, n, candidates, pessimism, discount)
    } catch (cause) {
      throw this.failed('bcq_goals', cause)
    }
  }

  /** Stores the io record: 0, or NOT_FINITE and nothing changed. */
  bcq_insert(pointer: number): number {
    try {
      return this.raw.bcq_insert!(pointer)
    } catch (cause) {
      throw this.failed('bcq_insert', cause)
    }
  }

  /**
   * One update on the transitions named by `indices`, with the chance that `bcq_draw` left. A loss or gradient that is not
   * finite changes nothing, after three in a row the last good weights come back.
   */
  bcq_learn(pointer: number): void {
    try {
      this.raw.bcq_learn!(pointer)
    } catch (cause) {
      throw this.failed('bcq_learn', cause)
    }
  }

  /** `move` for dense arrays of any origin: out, actions, shifts [n]. */
  bcq_move(out: number, actions: number, shifts: number, reach: number, n: number): void {
    try {
      this.raw.bcq_move!(out, actions, shifts, reach, n)
    } catch (cause) {
      throw this.failed('bcq_move', cause)
    }
  }

  /**
   * Where a part lies, `which` of BCQ_…; shapes as at the top of `bcq-plan.ts`. What ends in a net's outputs has rows of
   * padded(width) numbers.
   */
  bcq_pointer(pointer: number, which: number): number {
    try {
      return this.raw.bcq_pointer!(pointer, which) >>> 0
    } catch (cause) {
      throw this.failed('bcq_pointer', cause)
    }
  }

  /** Q1 of the io record's state and action. */
  bcq_q(pointer: number): number {
    try {
      return this.raw.bcq_q!(pointer)
    } catch (cause) {
      throw this.failed('bcq_q', cause)
    }
  }

  /** Sets what `bcq_get` reads. */
  bcq_set(pointer: number, which: number, value: number): void {
    try {
      this.raw.bcq_set!(pointer, which, value)
    } catch (cause) {
      throw this.failed('bcq_set', cause)
    }
  }

  /** Bytes of a shape block: the shape's own words, then room in which an agent can be planned before it exists. */
  bcq_shape_bytes(hidden: number): number {
    try {
      return this.raw.bcq_shape_bytes!(hidden)
    } catch (cause) {
      throw this.failed('bcq_shape_bytes', cause)
    }
  }

  /** `steps` updates, each on a fresh batch: 0, or EMPTY when nothing is stored. */
  bcq_update(pointer: number, steps: number): number {
    try {
      return this.raw.bcq_update!(pointer, steps)
    } catch (cause) {
      throw this.failed('bcq_update', cause)
    }
  }

  /** The io record's action = π(its state). which: 0 actor, 1 average. */
  ddpg_act(pointer: number, which: number): void {
    try {
      this.raw.ddpg_act!(pointer, which)
    } catch (cause) {
      throw this.failed('ddpg_act', cause)
    }
  }

  /** Bytes of an agent. */
  ddpg_bytes(shape: number): number {
    try {
      return this.raw.ddpg_bytes!(shape)
    } catch (cause) {
      throw this.failed('ddpg_bytes', cause)
    }
  }

  /** Numbers in the canonical layout of a block. */
  ddpg_canonical(pointer: number, which: number): number {
    try {
      return this.raw.ddpg_canonical!(pointer, which)
    } catch (cause) {
      throw this.failed('ddpg_canonical', cause)
    }
  }

  /** Everything that stays as it is while the agent learns. */
  ddpg_configure(
    pointer: number,
    actorRate: number,
    criticRate: number,
    weightDecay: number,
    maxNorm: number,
    discount: number,
    targetRate: number,
    averageRate: number,
    outputPenalty: number,
    cloningWeight: number,
    saturationPenalty: number,
    saturationLimit: number,
  ): void {
    try {
      this.raw.ddpg_configure!(
        pointer,
        actorRate,
        criticRate,
        weightDecay,
        maxNorm,
        discount,
        targetRate,
        averageRate,
        outputPenalty,
        cloningWeight,
        saturationPenalty,
        saturationLimit,
      )
    } catch (cause) {
      throw this.failed('ddpg_configure', cause)
    }
  }

  /** Copies a flat block to (`toFlat`) or from the canonical layout [ddpg_canonical]. */
  ddpg_convert(pointer: number, which: number, canonical: number, toFlat: number): void {
    try {
      this.raw.ddpg_convert!(pointer, which, canonical, toFlat)
    } catch (cause) {
      throw this.failed('ddpg_convert', cause)
    }
  }

  /**
   * Makes an agent in `base`, `ddpg_bytes` long: random nets, targets and average as copies, nothing stored, the null context
   * [Z].
   */
  ddpg_create(base: number, shape: number, seedLow: number, seedHigh: number): void {
    try {
      this.raw.ddpg_create!(base, shape, seedLow, seedHigh)
    } catch (cause) {
      throw this.failed('ddpg_create', cause)
    }
  }

  /** A figure or setting, `which` of DDPG_ACTOR_LEARNING_RATE … DDPG_MEAN_Q; losses are those of the last update. */
  ddpg_get(pointer: number, which: number): number {
    try {
      return this.raw.ddpg_get!(pointer, which)
    } catch (cause) {
      throw this.failed('ddpg_get', cause)
    }
  }

  /** Weights were set from outside: what is there now counts as good. */
  ddpg_keep(pointer: number): void {
    try {
      this.raw.ddpg_keep!(pointer)
    } catch (cause) {
      throw this.failed('ddpg_keep', cause)
    }
  }

  /** One update on the transitions named by `indices`, all under the context for acting. */
  ddpg_learn(pointer: number): void {
    try {
      this.raw.ddpg_learn!(pointer)
    } catch (cause) {
      throw this.failed('ddpg_learn', cause)
    }
  }

  /** Q of the io record's state and action. */
  ddpg_q(pointer: number): number {
    try {
      return this.raw.ddpg_q!(pointer)
    } catch (cause) {
      throw this.failed('ddpg_q', cause)
    }
  }

  /** Sets what `ddpg_get` reads. */
  ddpg_set(pointer: number, which: number, value: number): void {
    try {
      this.raw.ddpg_set!(pointer, which, value)
    } catch (cause) {
      throw this.failed('ddpg_set', cause)
    }
  }

  /** Bytes of a shape block: the shape's own words, then room in which an agent can be planned before it exists. */
  ddpg_shape_bytes(hidden: number): number {
    try {
      return this.raw.ddpg_shape_bytes!(hidden)
    } catch (cause) {
      throw this.failed('ddpg_shape_bytes', cause)
    }
  }

  /** `steps` updates, each on a fresh batch of ring 0: 0, or EMPTY when nothing is stored. */
  ddpg_update(pointer: number, steps: number): number {
    try {
      return this.raw.ddpg_update!(pointer, steps)
    } catch (cause) {
      throw this.failed('ddpg_update', cause)
    }
  }

  /**
   * One update on what `drawPairs` draws, N transitions of G groups with their contexts [G, Z]; the encoder's parameters,
   * where there is one, learn from the critic's loss.
   */
  ddpg_update_pairs(pointer: number, groups: number, encoder: number): number {
    try {
      return this.raw.ddpg_update_pairs!(pointer, groups, encoder)
    } catch (cause) {
      throw this.failed('ddpg_update_pairs', cause)
    }
  }

  /** Bytes of an agent. */
  dqn_bytes(shape: number): number {
    try {
      return this.raw.dqn_bytes!(shape)
    } catch (cause) {
      throw this.failed('dqn_bytes', cause)
    }
  }

  /** Numbers in the canonical layout. */
  dqn_canonical(pointer: number): number {
    try {
      return this.raw.dqn_canonical!(pointer)
    } catch (cause) {
      throw this.failed('dqn_canonical', cause)
    }
  }

  /**
   * Sets the loss (DQN_…), double Q-learning, Adam's options, γ, and how the target follows: by `targetRate` after every
   * `targetInterval` updates.
   */
  dqn_configure(
    pointer: number,
    loss: number,
    isDouble: number,
    learningRate: number,
    weightDecay: number,
    maxNorm: number,
    discount: number,
    targetRate: number,
    targetInterval: number,
  ): void {
    try {
      this.raw.dqn_configure!(
        pointer,
        loss,
        isDouble,
        learningRate,
        weightDecay,
        maxNorm,
        discount,
        targetRate,
        targetInterval,
      )
    } catch (cause) {
      throw this.failed('dqn_configure', cause)
    }
  }

  /** Copies a flat block to (`toFlat`) or from the canonical layout [mlp_canonical]; what is set counts as good. */
  dqn_convert(pointer: number, which: number, canonical: number, toFlat: number): void {
    try {
      this.raw.dqn_convert!(pointer, which, canonical, toFlat)
    } catch (cause) {
      throw this.failed('dqn_convert', cause)
    }
  }

  /** Makes an agent in `base`, `dqn_bytes` long: a random net, its target a copy, nothing stored, the null context [Z]. */
  dqn_create(base: number, shape: number, seedLow: number, seedHigh: number): void {
    try {
      this.raw.dqn_create!(base, shape, seedLow, seedHigh)
    } catch (cause) {
      throw this.failed('dqn_create', cause)
    }
  }

  /** A figure or setting, `which` of DQN_LEARNING_RATE, DQN_LOSS, DQN_MEAN_Q; figures are those of the last update. */
  dqn_get(pointer: number, which: number): number {
    try {
      return this.raw.dqn_get!(pointer, which)
    } catch (cause) {
      throw this.failed('dqn_get', cause)
    }
  }

  /** One update on the transitions named by `indices`, all under the context for acting. */
  dqn_learn(pointer: number): void {
    try {
      this.raw.dqn_learn!(pointer)
    } catch (cause) {
      throw this.failed('dqn_learn', cause)
    }
  }

  /** Where q [A] of the last values lies. */
  dqn_q(pointer: number): number {
    try {
      return this.raw.dqn_q!(pointer) >>> 0
    } catch (cause) {
      throw this.failed('dqn_q', cause)
    }
  }

  /** Sets what `dqn_get` reads. */
  dqn_set(pointer: number, which: number, value: number): void {
    try {
      this.raw.dqn_set!(pointer, which, value)
    } catch (cause) {
      throw this.failed('dqn_set', cause)
    }
  }

  /** Bytes of a shape block: the shape's own words, then room in which a head can be planned before it exists. */
  dqn_shape_bytes(hidden: number): number {
    try {
      return this.raw.dqn_shape_bytes!(hidden)
    } catch (cause) {
      throw this.failed('dqn_shape_bytes', cause)
    }
  }

  /** `steps` updates, each on a fresh batch of ring 0: 0, or EMPTY when nothing is stored. */
  dqn_update(pointer: number, steps: number): number {
    try {
      return this.raw.dqn_update!(pointer, steps)
    } catch (cause) {
      throw this.failed('dqn_update', cause)
    }
  }

  /**
   * One update on what `drawPairs` draws, N transitions of G groups with their contexts [G, Z]; the encoder's parameters,
   * where there is one, learn from the loss.
   */
  dqn_update_pairs(pointer: number, groups: number, encoder: number): number {
    try {
      return this.raw.dqn_update_pairs!(pointer, groups, encoder)
    } catch (cause) {
      throw this.failed('dqn_update_pairs', cause)
    }
  }

  /** q [A] of the io record's state under the context; returns the best action, the first of equals, or NOT_FINITE. */
  dqn_values(pointer: number): number {
    try {
      return this.raw.dqn_values!(pointer)
    } catch (cause) {
      throw this.failed('dqn_values', cause)
    }
  }

  /** Bytes of an encoder. */
  encoder_bytes(shape: number): number {
    try {
      return this.raw.encoder_bytes!(shape)
    } catch (cause) {
      throw this.failed('encoder_bytes', cause)
    }
  }

  /** Numbers in the canonical layout: the pooled net's, then the dense net's. */
  encoder_canonical(pointer: number): number {
    try {
      return this.raw.encoder_canonical!(pointer)
    } catch (cause) {
      throw this.failed('encoder_canonical', cause)
    }
  }

  /**
   * Sets Adam's rate, the largest norm of the gradient (0: any) and the share of pooled features [W] that is dropped while
   * learning.
   */
  encoder_configure(pointer: number, learningRate: number, maxNorm: number, dropout: number): void {
    try {
      this.raw.encoder_configure!(pointer, learningRate, maxNorm, dropout)
    } catch (cause) {
      throw this.failed('encoder_configure', cause)
    }
  }

  /** Copies a block to (`toFlat`) or from the canonical layout [encoder_canonical]. */
  encoder_convert(pointer: number, which: number, canonical: number, toFlat: number): void {
    try {
      this.raw.encoder_convert!(pointer, which, canonical, toFlat)
    } catch (cause) {
      throw this.failed('encoder_convert', cause)
    }
  }

  /** Makes an encoder in `base`, `encoder_bytes` long, with random nets as PyTorch draws them. shape i32 [10 + d]: see above. */
  encoder_create(base: number, shape: number, seedLow: number, seedHigh: number): void {
    try {
      this.raw.encoder_create!(base, shape, seedLow, seedHigh)
    } catch (cause) {
      throw this.failed('encoder_create', cause)
    }
  }

  /** embeddings [n, Z] of the staged contexts. */
  encoder_encode(pointer: number, n: number): void {
    try {
      this.raw.encoder_encode!(pointer, n)
    } catch (cause) {
      throw this.failed('encoder_encode', cause)
    }
  }

  /** Gradients of the staged slopes [n, Z] at the embeddings without dropout; nothing moves. */
  encoder_gradients(pointer: number, n: number): void {
    try {
      this.raw.encoder_gradients!(pointer, n)
    } catch (cause) {
      throw this.failed('encoder_gradients', cause)
    }
  }

  /** Parameters were set from outside: what is there now counts as good. */
  encoder_keep(pointer: number): void {
    try {
      this.raw.encoder_keep!(pointer)
    } catch (cause) {
      throw this.failed('encoder_keep', cause)
    }
  }

  /** One Adam step along the staged slopes [n, Z] of a learner outside the core: 0, or NOT_FINITE and nothing changed. */
  encoder_learn(pointer: number, n: number): number {
    try {
      return this.raw.encoder_learn!(pointer, n)
    } catch (cause) {
      throw this.failed('encoder_learn', cause)
    }
  }

  /**
   * Where a part lies, `which` of ENCODER_STEPS … ENCODER_RANDOM or ENCODER_STATES, else the last good copy: steps [G·M·T, I], lengths i32
   * [G·M], counts i32 [G], embeddings and slopes [G, Z], states [U, S, H] of the S sequences that a batch has.
   */
  encoder_pointer(pointer: number, which: number): number {
    try {
      return this.raw.encoder_pointer!(pointer, which) >>> 0
    } catch (cause) {
      throw this.failed('encoder_pointer', cause)
    }
  }

  /** embeddings [n, Z] of n contexts whose sequences' final states are in place, those of the pooled units of a GRU; `counts` are staged. */
  encoder_pool(pointer: number, n: number): void {
    try {
      this.raw.encoder_pool!(pointer, n)
    } catch (cause) {
      throw this.failed('encoder_pool', cause)
    }
  }

  /** Sets the number of updates done, on which Adam's correction depends. */
  encoder_set_updates(pointer: number, updates: number): void {
    try {
      this.raw.encoder_set_updates!(pointer, updates)
    } catch (cause) {
      throw this.failed('encoder_set_updates', cause)
    }
  }

  /** Bytes of a shape block of that many layers in all: the shape's own words, then room in which a head can be planned before it exists. */
  encoder_shape_bytes(layers: number): number {
    try {
      return this.raw.encoder_shape_bytes!(layers)
    } catch (cause) {
      throw this.failed('encoder_shape_bytes', cause)
    }
  }

  /** Updates done. */
  encoder_updates(pointer: number): number {
    try {
      return this.raw.encoder_updates!(pointer)
    } catch (cause) {
      throw this.failed('encoder_updates', cause)
    }
  }

  /**
   * rewards, values, nextValues, advantages, returns f64 [T]; ends, partitionOf i32 [T]; carry f64 [P].
   * advantage = δ + γλ · the next step's advantage, δ = r + γ V(next) − V; return = advantage + V.
   * The last step of each partition, like a truncated one, stands on V(next) alone.
   */
  gae_estimate(
    steps: number,
    partitions: number,
    rewards: number,
    values: number,
    nextValues: number,
    ends: number,
    partitionOf: number,
    carry: number,
    discount: number,
    lambda: number,
    advantages: number,
    returns: number,
  ): void {
    try {
      this.raw.gae_estimate!(
        steps,
        partitions,
        rewards,
        values,
        nextValues,
        ends,
        partitionOf,
        carry,
        discount,
        lambda,
        advantages,
        returns,
      )
    } catch (cause) {
      throw this.failed('gae_estimate', cause)
    }
  }

  /**
   * Columns [T] as in `gae_estimate`. return = r + γ · the next step's return inside the episode, nothing beyond it; advantage
   * = return − V.
   */
  gae_monte_carlo(
    steps: number,
    partitions: number,
    rewards: number,
    values: number,
    ends: number,
    partitionOf: number,
    carry: number,
    discount: number,
    advantages: number,
    returns: number,
  ): void {
    try {
      this.raw.gae_monte_carlo!(
        steps,
        partitions,
        rewards,
        values,
        ends,
        partitionOf,
        carry,
        discount,
        advantages,
        returns,
      )
    } catch (cause) {
      throw this.failed('gae_monte_carlo', cause)
    }
  }

  /** C [m, n] = A [m, k] · B [k, n], all dense and row-major, n a multiple of 8. */
  gemm_multiply(c: number, a: number, b: number, m: number, n: number, k: number, panels: number): void {
    try {
      this.raw.gemm_multiply!(c, a, b, m, n, k, panels)
    } catch (cause) {
      throw this.failed('gemm_multiply', cause)
    }
  }

  /** Bytes of B [k, n] in panels. */
  gemm_panel_bytes(n: number, k: number): number {
    try {
      return this.raw.gemm_panel_bytes!(n, k)
    } catch (cause) {
      throw this.failed('gemm_panel_bytes', cause)
    }
  }

  /**
   * After `gru_forward` of the same x, once: adds dLoss/dparameters to `gradients` (flat).
   * @param dy      [N, T, D·H] slopes of the top layer's outputs; 0: zeros
   * @param dLast   [L·D, N, H] slopes of the last states; 0: zeros
   * @param dx      [N, T, I], filled; 0: not wanted
   * @param dStart  [L·D, N, H], filled; 0: not wanted
   */
  gru_backward(
    pointer: number,
    parameters: number,
    n: number,
    steps: number,
    lengths: number,
    dy: number,
    dLast: number,
    gradients: number,
    dx: number,
    dStart: number,
    workspace: number,
  ): void {
    try {
      this.raw.gru_backward!(pointer, parameters, n, steps, lengths, dy, dLast, gradients, dx, dStart, workspace)
    } catch (cause) {
      throw this.failed('gru_backward', cause)
    }
  }

  /** Numbers of a canonical block. */
  gru_canonical(gru: number): number {
    try {
      return this.raw.gru_canonical!(gru)
    } catch (cause) {
      throw this.failed('gru_canonical', cause)
    }
  }

  /** canonical [gru_canonical] → flat [gru_flat] (`toFlat`), or flat → canonical. */
  gru_convert(pointer: number, flat: number, canonical: number, toFlat: number): void {
    try {
      this.raw.gru_convert!(pointer, flat, canonical, toFlat)
    } catch (cause) {
      throw this.failed('gru_convert', cause)
    }
  }

  /** Bytes of a flat block. */
  gru_flat_bytes(gru: number): number {
    try {
      return this.raw.gru_flat_bytes!(gru)
    } catch (cause) {
      throw this.failed('gru_flat_bytes', cause)
    }
  }

  /**
   * Runs n sequences of `steps` steps.
   * @param x        [N, T, I] dense
   * @param lengths  i32 [N], each in 1 … steps; 0: all are `steps` long
   * @param start    [L·D, N, H] initial states; 0: zeros
   * @param last     [L·D, N, H] filled with each unit's state after its last step
   */
  gru_forward(
    pointer: number,
    parameters: number,
    x: number,
    n: number,
    steps: number,
    lengths: number,
    start: number,
    last: number,
    workspace: number,
  ): void {
    try {
      this.raw.gru_forward!(pointer, parameters, x, n, steps, lengths, start, last, workspace)
    } catch (cause) {
      throw this.failed('gru_forward', cause)
    }
  }

  /** Canonical parameters [gru_canonical] uniform in ±1/sqrt(H), PyTorch's default. */
  gru_initialise(pointer: number, canonical: number, random: number): void {
    try {
      this.raw.gru_initialise!(pointer, canonical, random)
    } catch (cause) {
      throw this.failed('gru_initialise', cause)
    }
  }

  /** The top layer's outputs of the last `gru_forward` → y [N, T, D·H] dense. */
  gru_outputs(pointer: number, n: number, steps: number, y: number, workspace: number): void {
    try {
      this.raw.gru_outputs!(pointer, n, steps, y, workspace)
    } catch (cause) {
      throw this.failed('gru_outputs', cause)
    }
  }

  /** Fills a plan; all sizes at least 1, directions 1 or 2. */
  gru_plan(
    pointer: number,
    inputs: number,
    hidden: number,
    layers: number,
    directions: number,
    maxBatch: number,
    maxSteps: number,
  ): void {
    try {
      this.raw.gru_plan!(pointer, inputs, hidden, layers, directions, maxBatch, maxSteps)
    } catch (cause) {
      throw this.failed('gru_plan', cause)
    }
  }

  /** Bytes of a plan. */
  gru_plan_bytes(): number {
    try {
      return this.raw.gru_plan_bytes!() >>> 0
    } catch (cause) {
      throw this.failed('gru_plan_bytes', cause)
    }
  }

  /** Bytes of a workspace. */
  gru_workspace_bytes(gru: number): number {
    try {
      return this.raw.gru_workspace_bytes!(gru)
    } catch (cause) {
      throw this.failed('gru_workspace_bytes', cause)
    }
  }

  /** Where the copy lies. */
  last_good_copy(pointer: number): number {
    try {
      return this.raw.last_good_copy!(pointer) >>> 0
    } catch (cause) {
      throw this.failed('last_good_copy', cause)
    }
  }

  /** One of the counters LAST_GOOD_AGE … LAST_GOOD_RESTORED. */
  last_good_get(pointer: number, which: number): number {
    try {
      return this.raw.last_good_get!(pointer, which)
    } catch (cause) {
      throw this.failed('last_good_get', cause)
    }
  }

  /** How many numbers the copy has. */
  last_good_length(pointer: number): number {
    try {
      return this.raw.last_good_length!(pointer)
    } catch (cause) {
      throw this.failed('last_good_length', cause)
    }
  }

  /** Sets one of the counters LAST_GOOD_AGE … LAST_GOOD_RESTORED. */
  last_good_set(pointer: number, which: number, value: number): void {
    try {
      this.raw.last_good_set!(pointer, which, value)
    } catch (cause) {
      throw this.failed('last_good_set', cause)
    }
  }

  /** After `mlp_forward` of the same x: gradients += dLoss/dparameters for dy [n, out]; dx [n, in] where not 0. */
  mlp_backward(
    pointer: number,
    parameters: number,
    x: number,
    dy: number,
    n: number,
    workspace: number,
    gradients: number,
    dx: number,
  ): void {
    try {
      this.raw.mlp_backward!(pointer, parameters, x, dy, n, workspace, gradients, dx)
    } catch (cause) {
      throw this.failed('mlp_backward', cause)
    }
  }

  /** Numbers of a canonical block. */
  mlp_canonical(net: number): number {
    try {
      return this.raw.mlp_canonical!(net)
    } catch (cause) {
      throw this.failed('mlp_canonical', cause)
    }
  }

  /** canonical [mlp_canonical] → flat [mlp_flat] (`toFlat`), or flat → canonical. */
  mlp_convert(pointer: number, flat: number, canonical: number, toFlat: number): void {
    try {
      this.raw.mlp_convert!(pointer, flat, canonical, toFlat)
    } catch (cause) {
      throw this.failed('mlp_convert', cause)
    }
  }

  /** Bytes of a flat block. */
  mlp_flat_bytes(net: number): number {
    try {
      return this.raw.mlp_flat_bytes!(net)
    } catch (cause) {
      throw this.failed('mlp_flat_bytes', cause)
    }
  }

  /** y [n, out] dense = net(x [n, in] dense). */
  mlp_forward(pointer: number, parameters: number, x: number, y: number, n: number, workspace: number): void {
    try {
      this.raw.mlp_forward!(pointer, parameters, x, y, n, workspace)
    } catch (cause) {
      throw this.failed('mlp_forward', cause)
    }
  }

  /** Every weight and bias of a flat block [mlp_flat] uniform in ±1/sqrt(in), drawn in canonical order (PyTorch's default). */
  mlp_initialise(pointer: number, flat: number, random: number): void {
    try {
      this.raw.mlp_initialise!(pointer, flat, random)
    } catch (cause) {
      throw this.failed('mlp_initialise', cause)
    }
  }

  /** Bytes of a `Net` with this many layers. */
  mlp_net_bytes(layers: number): number {
    try {
      return this.raw.mlp_net_bytes!(layers) >>> 0
    } catch (cause) {
      throw this.failed('mlp_net_bytes', cause)
    }
  }

  /** Fills a net from sizes i32[layers + 1] and activations i32[layers]. */
  mlp_plan(pointer: number, layers: number, sizes: number, activations: number, maxBatch: number): void {
    try {
      this.raw.mlp_plan!(pointer, layers, sizes, activations, maxBatch)
    } catch (cause) {
      throw this.failed('mlp_plan', cause)
    }
  }

  /** Bytes of a workspace. */
  mlp_workspace_bytes(net: number): number {
    try {
      return this.raw.mlp_workspace_bytes!(net)
    } catch (cause) {
      throw this.failed('mlp_workspace_bytes', cause)
    }
  }

  /** Bytes of a block, exact for any size. */
  moments_bytes(size: number): number {
    try {
      return this.raw.moments_bytes!(size)
    } catch (cause) {
      throw this.failed('moments_bytes', cause)
    }
  }

  /**
   * No rows, mean 0 and variance 1, which the first batch replaces. The reference code gives them the weight of 1e-4 rows, and that
   * adds 1e-4 · mean² / rows to the variance: 81 after four values around 1800 whose own variance is 0.5.
   */
  moments_create(block: number, size: number): void {
    try {
      this.raw.moments_create!(block, size)
    } catch (cause) {
      throw this.failed('moments_create', cause)
    }
  }

  /** y [n, D] = (x − mean) / sqrt(variance + 1e-8), within ±10. */
  moments_normalise(block: number, x: number, y: number, n: number): void {
    try {
      this.raw.moments_normalise!(block, x, y, n)
    } catch (cause) {
      throw this.failed('moments_normalise', cause)
    }
  }

  /** Merges n >= 1 rows of x f32 [n, D]. */
  moments_update(block: number, x: number, n: number): void {
    try {
      this.raw.moments_update!(block, x, n)
    } catch (cause) {
      throw this.failed('moments_update', cause)
    }
  }

  /** Stores the io record in a ring: 0, or NOT_FINITE and nothing changed. */
  off_policy_insert(pointer: number, ring: number): number {
    try {
      return this.raw.off_policy_insert!(pointer, ring)
    } catch (cause) {
      throw this.failed('off_policy_insert', cause)
    }
  }

  /**
   * Where a part of a DDPG or DQN agent lies, `which` of OFF_POLICY_…: one io record, indices i32 [N], goals and values [N],
   * context [Z], contexts and slopes [G, Z], chosen rings i32 [G].
   */
  off_policy_pointer(pointer: number, which: number): number {
    try {
      return this.raw.off_policy_pointer!(pointer, which) >>> 0
    } catch (cause) {
      throw this.failed('off_policy_pointer', cause)
    }
  }

  /** Transitions in a ring, and where its next one goes. */
  off_policy_ring_count(pointer: number, ring: number): number {
    try {
      return this.raw.off_policy_ring_count!(pointer, ring)
    } catch (cause) {
      throw this.failed('off_policy_ring_count', cause)
    }
  }

  /** Where the next transition of a ring goes. */
  off_policy_ring_cursor(pointer: number, ring: number): number {
    try {
      return this.raw.off_policy_ring_cursor!(pointer, ring)
    } catch (cause) {
      throw this.failed('off_policy_ring_cursor', cause)
    }
  }

  /** Sets how many transitions a ring holds and where the next one goes; records are written beforehand. */
  off_policy_set_ring(pointer: number, ring: number, count: number, cursor: number): void {
    try {
      this.raw.off_policy_set_ring!(pointer, ring, count, cursor)
    } catch (cause) {
      throw this.failed('off_policy_set_ring', cause)
    }
  }

  /** Sets the number of updates done. */
  off_policy_set_updates(pointer: number, updates: number): void {
    try {
      this.raw.off_policy_set_updates!(pointer, updates)
    } catch (cause) {
      throw this.failed('off_policy_set_updates', cause)
    }
  }

  /** Updates done. */
  off_policy_updates(pointer: number): number {
    try {
      return this.raw.off_policy_updates!(pointer)
    } catch (cause) {
      throw this.failed('off_policy_updates', cause)
    }
  }

  /** The io record's action for its state: drawn from the policy where `sample`, else the likeliest; NaN where the state gives no distribution. */
  ppo_act(pointer: number, sample: number): void {
    try {
      this.raw.ppo_act!(pointer, sample)
    } catch (cause) {
      throw this.failed('ppo_act', cause)
    }
  }

  /** The desk's first n actions [n, K] for its inputs [n, S + Z], as `ppo_act` gives them one after the other. */
  ppo_act_many(pointer: number, n: number, sample: number): void {
    try {
      this.raw.ppo_act_many!(pointer, n, sample)
    } catch (cause) {
      throw this.failed('ppo_act_many', cause)
    }
  }

  /**
   * Takes n rows into the rollout that its caller has written behind its last one (states, nexts [n, W], actions [n, K], rewards and
   * partitions [n]; there is room), each with the probability that the policy now gives its action. A row that is not finite is left
   * out and ends its partition's episode. Returns how many came in.
   */
  ppo_append(pointer: number, n: number): number {
    try {
      return this.raw.ppo_append!(pointer, n)
    } catch (cause) {
      throw this.failed('ppo_append', cause)
    }
  }

  /** Bytes of an agent. */
  ppo_bytes(shape: number): number {
    try {
      return this.raw.ppo_bytes!(shape)
    } catch (cause) {
      throw this.failed('ppo_bytes', cause)
    }
  }

  /** Numbers in the canonical layout of a block. */
  ppo_canonical(pointer: number, which: number): number {
    try {
      return this.raw.ppo_canonical!(pointer, which)
    } catch (cause) {
      throw this.failed('ppo_canonical', cause)
    }
  }

  /** From now on updates are about the first `count` partitions named by `chosen`. */
  ppo_choose(pointer: number, count: number): void {
    try {
      this.raw.ppo_choose!(pointer, count)
    } catch (cause) {
      throw this.failed('ppo_choose', cause)
    }
  }

  /** Forgets the rollout; weights and moments stay. */
  ppo_clear(pointer: number): void {
    try {
      this.raw.ppo_clear!(pointer)
    } catch (cause) {
      throw this.failed('ppo_clear', cause)
    }
  }

  /** What the loss is and how mini-batches are made. */
  ppo_configure(
    pointer: number,
    discount: number,
    lambda: number,
    monteCarlo: number,
    clip: number,
    valueClip: number,
    valueWeight: number,
    entropyWeight: number,
    normalise: number,
    replacement: number,
  ): void {
    try {
      this.raw.ppo_configure!(
        pointer,
        discount,
        lambda,
        monteCarlo,
        clip,
        valueClip,
        valueWeight,
        entropyWeight,
        normalise,
        replacement,
      )
    } catch (cause) {
      throw this.failed('ppo_configure', cause)
    }
  }

  /** How the optimisers step. */
  ppo_configure_adam(
    pointer: number,
    policyRate: number,
    valueRate: number,
    epsilon: number,
    maxNorm: number,
    sharedNorm: number,
  ): void {
    try {
      this.raw.ppo_configure_adam!(pointer, policyRate, valueRate, epsilon, maxNorm, sharedNorm)
    } catch (cause) {
      throw this.failed('ppo_configure_adam', cause)
    }
  }

  /** Copies a flat block to (`toFlat`) or from the canonical layout: the net's, then a Gaussian policy's log deviations [A]. */
  ppo_convert(pointer: number, which: number, canonical: number, toFlat: number): void {
    try {
      this.raw.ppo_convert!(pointer, which, canonical, toFlat)
    } catch (cause) {
      throw this.failed('ppo_convert', cause)
    }
  }

  /**
   * Makes an agent in `base`, `ppo_bytes` long: random nets, an empty rollout, null contexts [P, Z].
   * orthogonal: gains √2, .01 for the policy's outputs and 1 for the value, biases 0 (CleanRL); otherwise uniform in ±1/sqrt(in).
   */
  ppo_create(base: number, shape: number, orthogonal: number, seedLow: number, seedHigh: number): void {
    try {
      this.raw.ppo_create!(base, shape, orthogonal, seedLow, seedHigh)
    } catch (cause) {
      throw this.failed('ppo_create', cause)
    }
  }

  /** The episode of a partition is over: its newest step counts as truncated unless it was terminal. */
  ppo_end_episode(pointer: number, partition: number): void {
    try {
      this.raw.ppo_end_episode!(pointer, partition)
    } catch (cause) {
      throw this.failed('ppo_end_episode', cause)
    }
  }

  /**
   * One pass over the chosen partitions' prepared steps in mini-batches: every step once in random order, the last mini-batch as
   * small as it comes; or as many drawn with replacement. `slopes` [P, Z] becomes their mean dLoss/dcontexts. With an encoder
   * its staged
   * contexts are encoded anew before the pass, and it steps along these slopes after it. 0, or EMPTY.
   */
  ppo_epoch(pointer: number, encoderPointer: number): number {
    try {
      return this.raw.ppo_epoch!(pointer, encoderPointer)
    } catch (cause) {
      throw this.failed('ppo_epoch', cause)
    }
  }

  /** Puts the contexts behind the states of the rollout. */
  ppo_fill_contexts(pointer: number): void {
    try {
      this.raw.ppo_fill_contexts!(pointer)
    } catch (cause) {
      throw this.failed('ppo_fill_contexts', cause)
    }
  }

  /** A setting, `which` of PPO_UPDATES … PPO_ENTROPY_WEIGHT, or a figure of the last update. */
  ppo_get(pointer: number, which: number): number {
    try {
      return this.raw.ppo_get!(pointer, which)
    } catch (cause) {
      throw this.failed('ppo_get', cause)
    }
  }

  /** `ppo_epoch` whose policy learns to do what was done, likely or not, worth it or not. */
  ppo_imitate(pointer: number): number {
    try {
      return this.raw.ppo_imitate!(pointer)
    } catch (cause) {
      throw this.failed('ppo_imitate', cause)
    }
  }

  /** Stores the io record with the probability that the policy now gives its action: 0, or FULL or NOT_FINITE and nothing changed. */
  ppo_insert(pointer: number, reward: number, terminated: number, partition: number): number {
    try {
      return this.raw.ppo_insert!(pointer, reward, terminated, partition)
    } catch (cause) {
      throw this.failed('ppo_insert', cause)
    }
  }

  /** Weights were set from outside: they are what comes back after failed updates. */
  ppo_keep_good(pointer: number): void {
    try {
      this.raw.ppo_keep_good!(pointer)
    } catch (cause) {
      throw this.failed('ppo_keep_good', cause)
    }
  }

  /** One mini-batch, the n prepared steps named by `order`, by the loss of `ppo_epoch` or `ppo_imitate`. */
  ppo_learn(pointer: number, n: number, imitates: number): void {
    try {
      this.raw.ppo_learn!(pointer, n, imitates)
    } catch (cause) {
      throw this.failed('ppo_learn', cause)
    }
  }

  /** Where a part lies, `which` of PPO_…, else the last good copy; shapes as at the top of `ppo-plan.ts` and `rollout.ts`. */
  ppo_pointer(pointer: number, which: number): number {
    try {
      return this.raw.ppo_pointer!(pointer, which) >>> 0
    } catch (cause) {
      throw this.failed('ppo_pointer', cause)
    }
  }

  /**
   * Values, advantages and returns [C] of the rollout: 0, or EMPTY. With an encoder the chosen partitions' staged contexts
   * come behind the states.
   */
  ppo_prepare(pointer: number, encoderPointer: number): number {
    try {
      return this.raw.ppo_prepare!(pointer, encoderPointer)
    } catch (cause) {
      throw this.failed('ppo_prepare', cause)
    }
  }

  /** Sets what `ppo_get` reads. */
  ppo_set(pointer: number, which: number, value: number): void {
    try {
      this.raw.ppo_set!(pointer, which, value)
    } catch (cause) {
      throw this.failed('ppo_set', cause)
    }
  }

  /** Bytes of a shape block: the shape's own words, then room in which a head can be planned before it exists. */
  ppo_shape_bytes(hidden: number, heads: number): number {
    try {
      return this.raw.ppo_shape_bytes!(hidden, heads)
    } catch (cause) {
      throw this.failed('ppo_shape_bytes', cause)
    }
  }

  /** V of the io record's state. */
  ppo_value(pointer: number): number {
    try {
      return this.raw.ppo_value!(pointer)
    } catch (cause) {
      throw this.failed('ppo_value', cause)
    }
  }

  /** Bytes of a regressor. */
  regressor_bytes(shape: number): number {
    try {
      return this.raw.regressor_bytes!(shape)
    } catch (cause) {
      throw this.failed('regressor_bytes', cause)
    }
  }

  /** Numbers in the canonical layout. */
  regressor_canonical(pointer: number): number {
    try {
      return this.raw.regressor_canonical!(pointer)
    } catch (cause) {
      throw this.failed('regressor_canonical', cause)
    }
  }

  /** Sets the loss (REGRESSOR_…), Adam's options and the share of hidden outputs dropped while learning; maxNorm 0: no clipping. */
  regressor_configure(
    pointer: number,
    loss: number,
    learningRate: number,
    weightDecay: number,
    maxNorm: number,
    dropout: number,
  ): void {
    try {
      this.raw.regressor_configure!(pointer, loss, learningRate, weightDecay, maxNorm, dropout)
    } catch (cause) {
      throw this.failed('regressor_configure', cause)
    }
  }

  /** Copies a flat block to (`toFlat`) or from the canonical layout [regressor_canonical]; what is set counts as good. */
  regressor_convert(pointer: number, which: number, canonical: number, toFlat: number): void {
    try {
      this.raw.regressor_convert!(pointer, which, canonical, toFlat)
    } catch (cause) {
      throw this.failed('regressor_convert', cause)
    }
  }

  /** Makes a regressor in `base`, `regressor_bytes` long: a random net, the null context [Z]. shape: see `regressor_bytes`. */
  regressor_create(base: number, shape: number, seedLow: number, seedHigh: number): void {
    try {
      this.raw.regressor_create!(base, shape, seedLow, seedHigh)
    } catch (cause) {
      throw this.failed('regressor_create', cause)
    }
  }

  /** Mean loss of the n rows of `inputs` and `goals` as served: no dropout, the one context. */
  regressor_evaluate(pointer: number, n: number): number {
    try {
      return this.raw.regressor_evaluate!(pointer, n)
    } catch (cause) {
      throw this.failed('regressor_evaluate', cause)
    }
  }

  /**
   * `epochs` passes over x [rows, F] and y [rows, O] in random order, the last batch of each as small as it comes; losses f64 [epochs]
   * get each pass's mean while learning, NaN where every step was given up. order: room for i32[rows].
   */
  regressor_fit(
    pointer: number,
    x: number,
    y: number,
    order: number,
    rows: number,
    epochs: number,
    losses: number,
  ): void {
    try {
      this.raw.regressor_fit!(pointer, x, y, order, rows, epochs, losses)
    } catch (cause) {
      throw this.failed('regressor_fit', cause)
    }
  }

  /** The learning rate, the loss of the last update, or the number of updates. */
  regressor_get(pointer: number, which: number): number {
    try {
      return this.raw.regressor_get!(pointer, which)
    } catch (cause) {
      throw this.failed('regressor_get', cause)
    }
  }

  /**
   * One step on the n rows of `inputs` and `goals`, row i with row groupOf[i] of the first `groups` contexts; 0: the one context.
   * With an encoder its staged contexts are encoded to be those rows, and it steps along their slopes; both step or none.
   */
  regressor_learn(pointer: number, n: number, groups: number, encoderPointer: number): void {
    try {
      this.raw.regressor_learn!(pointer, n, groups, encoderPointer)
    } catch (cause) {
      throw this.failed('regressor_learn', cause)
    }
  }

  /**
   * Where a part lies, `which` of REGRESSOR_INPUTS … REGRESSOR_RANDOM, else the last good copy: inputs [N, F + Z], goals and
   * predictions [N, O], groups i32 [N], context [Z], contexts and slopes [G, Z].
   */
  regressor_pointer(pointer: number, which: number): number {
    try {
      return this.raw.regressor_pointer!(pointer, which) >>> 0
    } catch (cause) {
      throw this.failed('regressor_pointer', cause)
    }
  }

  /** predictions [n, O] of the features in `inputs`, with the one context. */
  regressor_predict(pointer: number, n: number): void {
    try {
      this.raw.regressor_predict!(pointer, n)
    } catch (cause) {
      throw this.failed('regressor_predict', cause)
    }
  }

  /** Sets what `regressor_get` reads. */
  regressor_set(pointer: number, which: number, value: number): void {
    try {
      this.raw.regressor_set!(pointer, which, value)
    } catch (cause) {
      throw this.failed('regressor_set', cause)
    }
  }

  /** Bytes of a shape block: the shape's own words, then room in which a head can be planned before it exists. */
  regressor_shape_bytes(hidden: number): number {
    try {
      return this.raw.regressor_shape_bytes!(hidden)
    } catch (cause) {
      throw this.failed('regressor_shape_bytes', cause)
    }
  }

  /** y [n] = f(x [n]), kind 0 exp, 1 tanh, 2 sigmoid; four at a time where the build can. */
  single_map(kind: number, x: number, y: number, n: number): void {
    try {
      this.raw.single_map!(kind, x, y, n)
    } catch (cause) {
      throw this.failed('single_map', cause)
    }
  }

  /** Bytes of a block, exact for any counts. */
  svm_bytes(inputs: number, features: number): number {
    try {
      return this.raw.svm_bytes!(inputs, features)
    } catch (cause) {
      throw this.failed('svm_bytes', cause)
    }
  }

  /** An untrained machine whose kernel is exp(−gamma |x − y|²); `random` draws its features W [F, D] and offsets [D]. */
  svm_create(
    block: number,
    inputs: number,
    features: number,
    gamma: number,
    alpha: number,
    rate: number,
    negative: number,
    positive: number,
    averageFrom: number,
    random: number,
  ): void {
    try {
      this.raw.svm_create!(block, inputs, features, gamma, alpha, rate, negative, positive, averageFrom, random)
    } catch (cause) {
      throw this.failed('svm_create', cause)
    }
  }

  /** The signed distance of x [F] from the border, in units of the margin; by the mean of the steps where there is one. */
  svm_decide(block: number, x: number): number {
    try {
      return this.raw.svm_decide!(block, x)
    } catch (cause) {
      throw this.failed('svm_decide', cause)
    }
  }

  /** One step a row, in order. x [n, F], y [n] = ±1, weight [n] >= 0 */
  svm_fit(block: number, x: number, y: number, weight: number, n: number): void {
    try {
      this.raw.svm_fit!(block, x, y, weight, n)
    } catch (cause) {
      throw this.failed('svm_fit', cause)
    }
  }

  /** phi [D] = sqrt(2 / D) cos(z W + offset), z [F] = (x − mean) / deviation; left in the block. */
  svm_map(block: number, x: number): void {
    try {
      this.raw.svm_map!(block, x)
    } catch (cause) {
      throw this.failed('svm_map', cause)
    }
  }

  /** Merges n >= 1 rows into mean and variance. x [n, F] */
  svm_observe(block: number, x: number, n: number): void {
    try {
      this.raw.svm_observe!(block, x, n)
    } catch (cause) {
      throw this.failed('svm_observe', cause)
    }
  }
}
