// What TypeScript and the core agree on besides functions.

/** Grows with every change of functions or constants that a caller would notice. */
// @ts-ignore: decorator
@inline export const ABI_VERSION: i32 = 2

/** Grows with every change that a saved state would notice: of the tensors that kernels save and of what they mean. */
// @ts-ignore: decorator
@inline export const STATE_VERSION: i32 = 1

/** Most of anything that a caller may ask for: then sums of a few counts and rows of numbers fit 32 bits, and no memory holds more. */
// @ts-ignore: decorator
@inline export const LARGEST_COUNT: i32 = 134217728

/** Bytes of the largest block, 2 GiB less a page: half of what the memory grows to, and an i32. */
// @ts-ignore: decorator
@inline export const LARGEST_BLOCK: i32 = 2147418112

// Status codes. Anything negative is a refusal that changed nothing.
// @ts-ignore: decorator
@inline export const OK: i32 = 0
// @ts-ignore: decorator
@inline export const NOT_FINITE: i32 = -1
// @ts-ignore: decorator
@inline export const EMPTY: i32 = -2
// @ts-ignore: decorator
@inline export const FULL: i32 = -3
// @ts-ignore: decorator
@inline export const OUT_OF_RANGE: i32 = -4

// What `off_policy_pointer` finds, of a DDPG or a DQN agent.
// @ts-ignore: decorator
@inline export const OFF_POLICY_IO: i32 = 0
// @ts-ignore: decorator
@inline export const OFF_POLICY_INDICES: i32 = 1
// @ts-ignore: decorator
@inline export const OFF_POLICY_RECORDS: i32 = 2
// @ts-ignore: decorator
@inline export const OFF_POLICY_RANDOM: i32 = 3
// @ts-ignore: decorator
@inline export const OFF_POLICY_GOALS: i32 = 4
// @ts-ignore: decorator
@inline export const OFF_POLICY_VALUES: i32 = 5
// @ts-ignore: decorator
@inline export const OFF_POLICY_CONTEXT: i32 = 6
// @ts-ignore: decorator
@inline export const OFF_POLICY_CONTEXTS: i32 = 7
// @ts-ignore: decorator
@inline export const OFF_POLICY_SLOPES: i32 = 8
// @ts-ignore: decorator
@inline export const OFF_POLICY_CHOSEN: i32 = 9
// @ts-ignore: decorator
@inline export const OFF_POLICY_LAST_GOOD: i32 = 10

// What `ddpg_convert` copies: flat blocks of the actor's or the critic's shape.
// @ts-ignore: decorator
@inline export const DDPG_ACTOR: i32 = 0
// @ts-ignore: decorator
@inline export const DDPG_CRITIC: i32 = 1
// @ts-ignore: decorator
@inline export const DDPG_TARGET_ACTOR: i32 = 2
// @ts-ignore: decorator
@inline export const DDPG_TARGET_CRITIC: i32 = 3
// @ts-ignore: decorator
@inline export const DDPG_AVERAGED_ACTOR: i32 = 4
// @ts-ignore: decorator
@inline export const DDPG_ACTOR_GRADIENT: i32 = 5
// @ts-ignore: decorator
@inline export const DDPG_CRITIC_GRADIENT: i32 = 6
// @ts-ignore: decorator
@inline export const DDPG_ACTOR_FIRST_MOMENT: i32 = 7
// @ts-ignore: decorator
@inline export const DDPG_ACTOR_SECOND_MOMENT: i32 = 8
// @ts-ignore: decorator
@inline export const DDPG_CRITIC_FIRST_MOMENT: i32 = 9
// @ts-ignore: decorator
@inline export const DDPG_CRITIC_SECOND_MOMENT: i32 = 10

// What `ddpg_get` and `ddpg_set` name.
// @ts-ignore: decorator
@inline export const DDPG_ACTOR_LEARNING_RATE: i32 = 0
// @ts-ignore: decorator
@inline export const DDPG_CRITIC_LEARNING_RATE: i32 = 1
// @ts-ignore: decorator
@inline export const DDPG_OUTPUT_PENALTY: i32 = 2
// @ts-ignore: decorator
@inline export const DDPG_CLONING_WEIGHT: i32 = 3
// @ts-ignore: decorator
@inline export const DDPG_CRITIC_LOSS: i32 = 4
// @ts-ignore: decorator
@inline export const DDPG_ACTOR_LOSS: i32 = 5
// @ts-ignore: decorator
@inline export const DDPG_MEAN_Q: i32 = 6

// What `path_column` finds. Kinds are 0 internal, 1 server, 2 client, 3 producer, 4 consumer; flag 1 is FOLLOWS_FROM.
// When the path is found and PATH_CUT is 1, START and END have the windows and KIND is 1 for background.
// @ts-ignore: decorator
@inline export const PATH_START: i32 = 0
// @ts-ignore: decorator
@inline export const PATH_END: i32 = 1
// @ts-ignore: decorator
@inline export const PATH_PARENT: i32 = 2
// @ts-ignore: decorator
@inline export const PATH_KIND: i32 = 3
// @ts-ignore: decorator
@inline export const PATH_FLAGS: i32 = 4
// @ts-ignore: decorator
@inline export const PATH_TIED: i32 = 5
// @ts-ignore: decorator
@inline export const PATH_SECTION_ROW: i32 = 6
// @ts-ignore: decorator
@inline export const PATH_SECTION_START: i32 = 7

// What `path_get` names.
// @ts-ignore: decorator
@inline export const PATH_SECTIONS: i32 = 0
// @ts-ignore: decorator
@inline export const PATH_FINISH: i32 = 1
// @ts-ignore: decorator
@inline export const PATH_CUT: i32 = 2
// @ts-ignore: decorator
@inline export const PATH_CLAMPED: i32 = 3
// @ts-ignore: decorator
@inline export const PATH_DROPPED: i32 = 4
// @ts-ignore: decorator
@inline export const PATH_TRIMMED: i32 = 5

// Options of `path_begin`.
// @ts-ignore: decorator
@inline export const PATH_TO_TRACE_END: i32 = 1
// @ts-ignore: decorator
@inline export const PATH_FIRM: i32 = 2
// @ts-ignore: decorator
@inline export const PATH_FOLLOWS_FROM_BLOCKS: i32 = 4
// @ts-ignore: decorator
@inline export const PATH_CONSUMER_BLOCKS: i32 = 8
// @ts-ignore: decorator
@inline export const PATH_LATE_IS_BACKGROUND: i32 = 16

// What `last_good_get` and `last_good_set` name.
// @ts-ignore: decorator
@inline export const LAST_GOOD_AGE: i32 = 0
// @ts-ignore: decorator
@inline export const LAST_GOOD_FAILURES: i32 = 1
// @ts-ignore: decorator
@inline export const LAST_GOOD_SKIPPED: i32 = 2
// @ts-ignore: decorator
@inline export const LAST_GOOD_RESTORED: i32 = 3

// Losses.
// @ts-ignore: decorator
@inline export const LOSS_MSE: i32 = 0
// @ts-ignore: decorator
@inline export const LOSS_L1: i32 = 1
// @ts-ignore: decorator
@inline export const LOSS_MAPE: i32 = 2
// @ts-ignore: decorator
@inline export const LOSS_HUBER: i32 = 3
// @ts-ignore: decorator
@inline export const LOSS_LOG_MAPE: i32 = 4

// What `regressor_pointer` finds.
// @ts-ignore: decorator
@inline export const REGRESSOR_INPUTS: i32 = 0
// @ts-ignore: decorator
@inline export const REGRESSOR_GOALS: i32 = 1
// @ts-ignore: decorator
@inline export const REGRESSOR_GROUPS: i32 = 2
// @ts-ignore: decorator
@inline export const REGRESSOR_CONTEXT: i32 = 3
// @ts-ignore: decorator
@inline export const REGRESSOR_CONTEXTS: i32 = 4
// @ts-ignore: decorator
@inline export const REGRESSOR_SLOPES: i32 = 5
// @ts-ignore: decorator
@inline export const REGRESSOR_PREDICTIONS: i32 = 6
// @ts-ignore: decorator
@inline export const REGRESSOR_RANDOM: i32 = 7
// @ts-ignore: decorator
@inline export const REGRESSOR_LAST_GOOD: i32 = 8

// What `regressor_convert` copies.
// @ts-ignore: decorator
@inline export const REGRESSOR_PARAMETERS: i32 = 0
// @ts-ignore: decorator
@inline export const REGRESSOR_GRADIENT: i32 = 1
// @ts-ignore: decorator
@inline export const REGRESSOR_FIRST_MOMENT: i32 = 2
// @ts-ignore: decorator
@inline export const REGRESSOR_SECOND_MOMENT: i32 = 3

// What `regressor_get` and `regressor_set` name.
// @ts-ignore: decorator
@inline export const REGRESSOR_LEARNING_RATE: i32 = 0
// @ts-ignore: decorator
@inline export const REGRESSOR_LOSS: i32 = 1
// @ts-ignore: decorator
@inline export const REGRESSOR_UPDATES: i32 = 2

// What `encoder_pointer` finds.
// @ts-ignore: decorator
@inline export const ENCODER_STEPS: i32 = 0
// @ts-ignore: decorator
@inline export const ENCODER_LENGTHS: i32 = 1
// @ts-ignore: decorator
@inline export const ENCODER_COUNTS: i32 = 2
// @ts-ignore: decorator
@inline export const ENCODER_EMBEDDINGS: i32 = 3
// @ts-ignore: decorator
@inline export const ENCODER_SLOPES: i32 = 4
// @ts-ignore: decorator
@inline export const ENCODER_RANDOM: i32 = 5
// @ts-ignore: decorator
@inline export const ENCODER_LAST_GOOD: i32 = 6
// @ts-ignore: decorator
@inline export const ENCODER_STATES: i32 = 7

// What `encoder_convert` copies.
// @ts-ignore: decorator
@inline export const ENCODER_PARAMETERS: i32 = 0
// @ts-ignore: decorator
@inline export const ENCODER_GRADIENT: i32 = 1
// @ts-ignore: decorator
@inline export const ENCODER_FIRST_MOMENT: i32 = 2
// @ts-ignore: decorator
@inline export const ENCODER_SECOND_MOMENT: i32 = 3

// Kinds of encoders.
// @ts-ignore: decorator
@inline export const ENCODER_SET: i32 = 0
// @ts-ignore: decorator
@inline export const ENCODER_GRU: i32 = 1

// What `bcq_pointer` finds; heads, deviations, codes and reconstructions are the generative model's, of the last update.
// @ts-ignore: decorator
@inline export const BCQ_IO: i32 = 0
// @ts-ignore: decorator
@inline export const BCQ_INDICES: i32 = 1
// @ts-ignore: decorator
@inline export const BCQ_RECORDS: i32 = 2
// @ts-ignore: decorator
@inline export const BCQ_RANDOM: i32 = 3
// @ts-ignore: decorator
@inline export const BCQ_GOALS: i32 = 4
// @ts-ignore: decorator
@inline export const BCQ_VALUES: i32 = 5
// @ts-ignore: decorator
@inline export const BCQ_NOISE: i32 = 6
// @ts-ignore: decorator
@inline export const BCQ_ACTING_LATENTS: i32 = 7
// @ts-ignore: decorator
@inline export const BCQ_HEADS: i32 = 8
// @ts-ignore: decorator
@inline export const BCQ_DEVIATIONS: i32 = 9
// @ts-ignore: decorator
@inline export const BCQ_CODES: i32 = 10
// @ts-ignore: decorator
@inline export const BCQ_RECONSTRUCTIONS: i32 = 11
// @ts-ignore: decorator
@inline export const BCQ_LAST_GOOD: i32 = 12
// @ts-ignore: decorator
@inline export const BCQ_TARGET_LATENTS: i32 = 13

// The blocks of `bcq_convert` …
// @ts-ignore: decorator
@inline export const BCQ_LIVE: i32 = 0
// @ts-ignore: decorator
@inline export const BCQ_TARGET: i32 = 1
// @ts-ignore: decorator
@inline export const BCQ_GRADIENT: i32 = 2
// @ts-ignore: decorator
@inline export const BCQ_FIRST_MOMENT: i32 = 3
// @ts-ignore: decorator
@inline export const BCQ_SECOND_MOMENT: i32 = 4

// … and the nets in them, in this order.
// @ts-ignore: decorator
@inline export const BCQ_ENCODER: i32 = 0
// @ts-ignore: decorator
@inline export const BCQ_DECODER: i32 = 1
// @ts-ignore: decorator
@inline export const BCQ_PERTURBATION: i32 = 2
// @ts-ignore: decorator
@inline export const BCQ_FIRST_CRITIC: i32 = 3
// @ts-ignore: decorator
@inline export const BCQ_SECOND_CRITIC: i32 = 4

// What `bcq_get` and `bcq_set` name.
// @ts-ignore: decorator
@inline export const BCQ_LEARNING_RATE: i32 = 0
// @ts-ignore: decorator
@inline export const BCQ_RECONSTRUCTION_LOSS: i32 = 1
// @ts-ignore: decorator
@inline export const BCQ_DIVERGENCE: i32 = 2
// @ts-ignore: decorator
@inline export const BCQ_CRITIC_LOSS: i32 = 3
// @ts-ignore: decorator
@inline export const BCQ_ACTOR_LOSS: i32 = 4
// @ts-ignore: decorator
@inline export const BCQ_MEAN_Q: i32 = 5
// @ts-ignore: decorator
@inline export const BCQ_UPDATES: i32 = 6
// @ts-ignore: decorator
@inline export const BCQ_COUNT: i32 = 7
// @ts-ignore: decorator
@inline export const BCQ_CURSOR: i32 = 8

// What `ppo_get` and `ppo_set` name; the first six are means over the last epoch.
// @ts-ignore: decorator
@inline export const PPO_POLICY_LOSS: i32 = 0
// @ts-ignore: decorator
@inline export const PPO_VALUE_LOSS: i32 = 1
// @ts-ignore: decorator
@inline export const PPO_ENTROPY: i32 = 2
// @ts-ignore: decorator
@inline export const PPO_DIVERGENCE: i32 = 3
// @ts-ignore: decorator
@inline export const PPO_CLIPPED: i32 = 4
// @ts-ignore: decorator
@inline export const PPO_MEAN_VALUE: i32 = 5
// @ts-ignore: decorator
@inline export const PPO_UPDATES: i32 = 6
// @ts-ignore: decorator
@inline export const PPO_COUNT: i32 = 7
// @ts-ignore: decorator
@inline export const PPO_POLICY_LEARNING_RATE: i32 = 8
// @ts-ignore: decorator
@inline export const PPO_VALUE_LEARNING_RATE: i32 = 9
// @ts-ignore: decorator
@inline export const PPO_CLIP: i32 = 10
// @ts-ignore: decorator
@inline export const PPO_ENTROPY_WEIGHT: i32 = 11

// What `ppo_convert` copies.
// @ts-ignore: decorator
@inline export const PPO_POLICY: i32 = 0
// @ts-ignore: decorator
@inline export const PPO_VALUE: i32 = 1
// @ts-ignore: decorator
@inline export const PPO_POLICY_GRADIENT: i32 = 2
// @ts-ignore: decorator
@inline export const PPO_VALUE_GRADIENT: i32 = 3
// @ts-ignore: decorator
@inline export const PPO_POLICY_FIRST_MOMENT: i32 = 4
// @ts-ignore: decorator
@inline export const PPO_POLICY_SECOND_MOMENT: i32 = 5
// @ts-ignore: decorator
@inline export const PPO_VALUE_FIRST_MOMENT: i32 = 6
// @ts-ignore: decorator
@inline export const PPO_VALUE_SECOND_MOMENT: i32 = 7

// What `ppo_pointer` finds. BATCH: advantages used, log-probabilities, entropies and ratios of the last mini-batch, f64 [4, N].
// @ts-ignore: decorator
@inline export const PPO_IO: i32 = 0
// @ts-ignore: decorator
@inline export const PPO_STATES: i32 = 1
// @ts-ignore: decorator
@inline export const PPO_NEXTS: i32 = 2
// @ts-ignore: decorator
@inline export const PPO_ACTIONS: i32 = 3
// @ts-ignore: decorator
@inline export const PPO_REWARDS: i32 = 4
// @ts-ignore: decorator
@inline export const PPO_LOG_PROBABILITIES: i32 = 5
// @ts-ignore: decorator
@inline export const PPO_VALUES: i32 = 6
// @ts-ignore: decorator
@inline export const PPO_NEXT_VALUES: i32 = 7
// @ts-ignore: decorator
@inline export const PPO_ADVANTAGES: i32 = 8
// @ts-ignore: decorator
@inline export const PPO_RETURNS: i32 = 9
// @ts-ignore: decorator
@inline export const PPO_ENDS: i32 = 10
// @ts-ignore: decorator
@inline export const PPO_PARTITIONS: i32 = 11
// @ts-ignore: decorator
@inline export const PPO_LAST_ROWS: i32 = 12
// @ts-ignore: decorator
@inline export const PPO_CONTEXTS: i32 = 13
// @ts-ignore: decorator
@inline export const PPO_SLOPES: i32 = 14
// @ts-ignore: decorator
@inline export const PPO_ORDER: i32 = 15
// @ts-ignore: decorator
@inline export const PPO_BATCH: i32 = 16
// @ts-ignore: decorator
@inline export const PPO_RANDOM: i32 = 17
// @ts-ignore: decorator
@inline export const PPO_LAST_GOOD: i32 = 18
// @ts-ignore: decorator
@inline export const PPO_CHOSEN: i32 = 19
// @ts-ignore: decorator
@inline export const PPO_DESK_INPUTS: i32 = 20
// @ts-ignore: decorator
@inline export const PPO_DESK_ACTIONS: i32 = 21

// What `dqn_convert` copies.
// @ts-ignore: decorator
@inline export const DQN_ONLINE: i32 = 0
// @ts-ignore: decorator
@inline export const DQN_TARGET: i32 = 1
// @ts-ignore: decorator
@inline export const DQN_GRADIENT: i32 = 2
// @ts-ignore: decorator
@inline export const DQN_FIRST_MOMENT: i32 = 3
// @ts-ignore: decorator
@inline export const DQN_SECOND_MOMENT: i32 = 4

// What `dqn_get` and `dqn_set` name.
// @ts-ignore: decorator
@inline export const DQN_LEARNING_RATE: i32 = 0
// @ts-ignore: decorator
@inline export const DQN_LOSS: i32 = 1
// @ts-ignore: decorator
@inline export const DQN_MEAN_Q: i32 = 2

// Orders of a ready queue.
// @ts-ignore: decorator
@inline export const QUEUE_FIFO: i32 = 0
// @ts-ignore: decorator
@inline export const QUEUE_CLASS: i32 = 1
// @ts-ignore: decorator
@inline export const QUEUE_EXACT: i32 = 2

// What `replay_column` finds.
// @ts-ignore: decorator
@inline export const REPLAY_ARRIVAL: i32 = 0
// @ts-ignore: decorator
@inline export const REPLAY_TOKENS: i32 = 1
// @ts-ignore: decorator
@inline export const REPLAY_ESTIMATE: i32 = 2
// @ts-ignore: decorator
@inline export const REPLAY_START: i32 = 3
// @ts-ignore: decorator
@inline export const REPLAY_FINISH: i32 = 4
// @ts-ignore: decorator
@inline export const REPLAY_SLOWDOWN: i32 = 5
// @ts-ignore: decorator
@inline export const REPLAY_TENANT: i32 = 6
// @ts-ignore: decorator
@inline export const REPLAY_BYPASSES: i32 = 7

// How a replay's servers batch.
// @ts-ignore: decorator
@inline export const REPLAY_NONE: i32 = 0
// @ts-ignore: decorator
@inline export const REPLAY_DYNAMIC: i32 = 1
// @ts-ignore: decorator
@inline export const REPLAY_CONTINUOUS: i32 = 2

// What `length_pointer` finds.
// @ts-ignore: decorator
@inline export const LENGTH_TEXT: i32 = 0
// @ts-ignore: decorator
@inline export const LENGTH_ROWS: i32 = 1
// @ts-ignore: decorator
@inline export const LENGTH_COUNTS: i32 = 2
// @ts-ignore: decorator
@inline export const LENGTH_PROBABILITIES: i32 = 3
// @ts-ignore: decorator
@inline export const LENGTH_TABLE: i32 = 4
// @ts-ignore: decorator
@inline export const LENGTH_TABLE_SQUARES: i32 = 5
// @ts-ignore: decorator
@inline export const LENGTH_WEIGHTS: i32 = 6
// @ts-ignore: decorator
@inline export const LENGTH_SQUARES: i32 = 7
// @ts-ignore: decorator
@inline export const LENGTH_MOMENTS: i32 = 8

// What `length_get` names.
// @ts-ignore: decorator
@inline export const LENGTH_RATE: i32 = 0
// @ts-ignore: decorator
@inline export const LENGTH_UPDATES: i32 = 1
// @ts-ignore: decorator
@inline export const LENGTH_SEEN: i32 = 2
// @ts-ignore: decorator
@inline export const LENGTH_WEIGHT_COUNT: i32 = 3
// @ts-ignore: decorator
@inline export const LENGTH_ROW_COUNT: i32 = 4
