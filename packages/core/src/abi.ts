// Generated from assembly/ by scripts/build-abi.mjs.

// What TypeScript and the core agree on besides functions.
/** Grows with every change of functions or constants that a caller would notice. */
export const ABI_VERSION = 2

/** Grows with every change that a saved state would notice: of the tensors that kernels save and of what they mean. */
export const STATE_VERSION = 1

/** Most of anything that a caller may ask for: then sums of a few counts and rows of numbers fit 32 bits, and no memory holds more. */
export const LARGEST_COUNT = 134217728

/** Bytes of the largest block, 2 GiB less a page: half of what the memory grows to, and an i32. */
export const LARGEST_BLOCK = 2147418112

// Status codes. Anything negative is a refusal that changed nothing.
export const OK = 0
export const NOT_FINITE = -1
export const EMPTY = -2
export const FULL = -3
export const OUT_OF_RANGE = -4

// What `off_policy_pointer` finds, of a DDPG or a DQN agent.
export const OFF_POLICY_IO = 0
export const OFF_POLICY_INDICES = 1
export const OFF_POLICY_RECORDS = 2
export const OFF_POLICY_RANDOM = 3
export const OFF_POLICY_GOALS = 4
export const OFF_POLICY_VALUES = 5
export const OFF_POLICY_CONTEXT = 6
export const OFF_POLICY_CONTEXTS = 7
export const OFF_POLICY_SLOPES = 8
export const OFF_POLICY_CHOSEN = 9
export const OFF_POLICY_LAST_GOOD = 10

// What `ddpg_convert` copies: flat blocks of the actor's or the critic's shape.
export const DDPG_ACTOR = 0
export const DDPG_CRITIC = 1
export const DDPG_TARGET_ACTOR = 2
export const DDPG_TARGET_CRITIC = 3
export const DDPG_AVERAGED_ACTOR = 4
export const DDPG_ACTOR_GRADIENT = 5
export const DDPG_CRITIC_GRADIENT = 6
export const DDPG_ACTOR_FIRST_MOMENT = 7
export const DDPG_ACTOR_SECOND_MOMENT = 8
export const DDPG_CRITIC_FIRST_MOMENT = 9
export const DDPG_CRITIC_SECOND_MOMENT = 10

// What `ddpg_get` and `ddpg_set` name.
export const DDPG_ACTOR_LEARNING_RATE = 0
export const DDPG_CRITIC_LEARNING_RATE = 1
export const DDPG_OUTPUT_PENALTY = 2
export const DDPG_CLONING_WEIGHT = 3
export const DDPG_CRITIC_LOSS = 4
export const DDPG_ACTOR_LOSS = 5
export const DDPG_MEAN_Q = 6

// What `path_column` finds. Kinds are 0 internal, 1 server, 2 client, 3 producer, 4 consumer; flag 1 is FOLLOWS_FROM.
// When the path is found and PATH_CUT is 1, START and END have the windows and KIND is 1 for background.
export const PATH_START = 0
export const PATH_END = 1
export const PATH_PARENT = 2
export const PATH_KIND = 3
export const PATH_FLAGS = 4
export const PATH_TIED = 5
export const PATH_SECTION_ROW = 6
export const PATH_SECTION_START = 7

// What `path_get` names.
export const PATH_SECTIONS = 0
export const PATH_FINISH = 1
export const PATH_CUT = 2
export const PATH_CLAMPED = 3
export const PATH_DROPPED = 4
export const PATH_TRIMMED = 5

// Options of `path_begin`.
export const PATH_TO_TRACE_END = 1
export const PATH_FIRM = 2
export const PATH_FOLLOWS_FROM_BLOCKS = 4
export const PATH_CONSUMER_BLOCKS = 8
export const PATH_LATE_IS_BACKGROUND = 16

// What `last_good_get` and `last_good_set` name.
export const LAST_GOOD_AGE = 0
export const LAST_GOOD_FAILURES = 1
export const LAST_GOOD_SKIPPED = 2
export const LAST_GOOD_RESTORED = 3

// Losses.
export const LOSS_MSE = 0
export const LOSS_L1 = 1
export const LOSS_MAPE = 2
export const LOSS_HUBER = 3
export const LOSS_LOG_MAPE = 4

// What `regressor_pointer` finds.
export const REGRESSOR_INPUTS = 0
export const REGRESSOR_GOALS = 1
export const REGRESSOR_GROUPS = 2
export const REGRESSOR_CONTEXT = 3
export const REGRESSOR_CONTEXTS = 4
export const REGRESSOR_SLOPES = 5
export const REGRESSOR_PREDICTIONS = 6
export const REGRESSOR_RANDOM = 7
export const REGRESSOR_LAST_GOOD = 8

// What `regressor_convert` copies.
export const REGRESSOR_PARAMETERS = 0
export const REGRESSOR_GRADIENT = 1
export const REGRESSOR_FIRST_MOMENT = 2
export const REGRESSOR_SECOND_MOMENT = 3

// What `regressor_get` and `regressor_set` name.
export const REGRESSOR_LEARNING_RATE = 0
export const REGRESSOR_LOSS = 1
export const REGRESSOR_UPDATES = 2

// What `encoder_pointer` finds.
export const ENCODER_STEPS = 0
export const ENCODER_LENGTHS = 1
export const ENCODER_COUNTS = 2
export const ENCODER_EMBEDDINGS = 3
export const ENCODER_SLOPES = 4
export const ENCODER_RANDOM = 5
export const ENCODER_LAST_GOOD = 6
export const ENCODER_STATES = 7

// What `encoder_convert` copies.
export const ENCODER_PARAMETERS = 0
export const ENCODER_GRADIENT = 1
export const ENCODER_FIRST_MOMENT = 2
export const ENCODER_SECOND_MOMENT = 3

// Kinds of encoders.
export const ENCODER_SET = 0
export const ENCODER_GRU = 1

// What `bcq_pointer` finds; heads, deviations, codes and reconstructions are the generative model's, of the last update.
export const BCQ_IO = 0
export const BCQ_INDICES = 1
export const BCQ_RECORDS = 2
export const BCQ_RANDOM = 3
export const BCQ_GOALS = 4
export const BCQ_VALUES = 5
export const BCQ_NOISE = 6
export const BCQ_ACTING_LATENTS = 7
export const BCQ_HEADS = 8
export const BCQ_DEVIATIONS = 9
export const BCQ_CODES = 10
export const BCQ_RECONSTRUCTIONS = 11
export const BCQ_LAST_GOOD = 12
export const BCQ_TARGET_LATENTS = 13

// The blocks of `bcq_convert` …
export const BCQ_LIVE = 0
export const BCQ_TARGET = 1
export const BCQ_GRADIENT = 2
export const BCQ_FIRST_MOMENT = 3
export const BCQ_SECOND_MOMENT = 4

// … and the nets in them, in this order.
export const BCQ_ENCODER = 0
export const BCQ_DECODER = 1
export const BCQ_PERTURBATION = 2
export const BCQ_FIRST_CRITIC = 3
export const BCQ_SECOND_CRITIC = 4

// What `bcq_get` and `bcq_set` name.
export const BCQ_LEARNING_RATE = 0
export const BCQ_RECONSTRUCTION_LOSS = 1
export const BCQ_DIVERGENCE = 2
export const BCQ_CRITIC_LOSS = 3
export const BCQ_ACTOR_LOSS = 4
export const BCQ_MEAN_Q = 5
export const BCQ_UPDATES = 6
export const BCQ_COUNT = 7
export const BCQ_CURSOR = 8

// What `ppo_get` and `ppo_set` name; the first six are means over the last epoch.
export const PPO_POLICY_LOSS = 0
export const PPO_VALUE_LOSS = 1
export const PPO_ENTROPY = 2
export const PPO_DIVERGENCE = 3
export const PPO_CLIPPED = 4
export const PPO_MEAN_VALUE = 5
export const PPO_UPDATES = 6
export const PPO_COUNT = 7
export const PPO_POLICY_LEARNING_RATE = 8
export const PPO_VALUE_LEARNING_RATE = 9
export const PPO_CLIP = 10
export const PPO_ENTROPY_WEIGHT = 11

// What `ppo_convert` copies.
export const PPO_POLICY = 0
export const PPO_VALUE = 1
export const PPO_POLICY_GRADIENT = 2
export const PPO_VALUE_GRADIENT = 3
export const PPO_POLICY_FIRST_MOMENT = 4
export const PPO_POLICY_SECOND_MOMENT = 5
export const PPO_VALUE_FIRST_MOMENT = 6
export const PPO_VALUE_SECOND_MOMENT = 7

// What `ppo_pointer` finds. BATCH: advantages used, log-probabilities, entropies and ratios of the last mini-batch, f64 [4, N].
export const PPO_IO = 0
export const PPO_STATES = 1
export const PPO_NEXTS = 2
export const PPO_ACTIONS = 3
export const PPO_REWARDS = 4
export const PPO_LOG_PROBABILITIES = 5
export const PPO_VALUES = 6
export const PPO_NEXT_VALUES = 7
export const PPO_ADVANTAGES = 8
export const PPO_RETURNS = 9
export const PPO_ENDS = 10
export const PPO_PARTITIONS = 11
export const PPO_LAST_ROWS = 12
export const PPO_CONTEXTS = 13
export const PPO_SLOPES = 14
export const PPO_ORDER = 15
export const PPO_BATCH = 16
export const PPO_RANDOM = 17
export const PPO_LAST_GOOD = 18
export const PPO_CHOSEN = 19
export const PPO_DESK_INPUTS = 20
export const PPO_DESK_ACTIONS = 21

// What `dqn_convert` copies.
export const DQN_ONLINE = 0
export const DQN_TARGET = 1
export const DQN_GRADIENT = 2
export const DQN_FIRST_MOMENT = 3
export const DQN_SECOND_MOMENT = 4

// What `dqn_get` and `dqn_set` name.
export const DQN_LEARNING_RATE = 0
export const DQN_LOSS = 1
export const DQN_MEAN_Q = 2

// Orders of a ready queue.
export const QUEUE_FIFO = 0
export const QUEUE_CLASS = 1
export const QUEUE_EXACT = 2

// What `replay_column` finds.
export const REPLAY_ARRIVAL = 0
export const REPLAY_TOKENS = 1
export const REPLAY_ESTIMATE = 2
export const REPLAY_START = 3
export const REPLAY_FINISH = 4
export const REPLAY_SLOWDOWN = 5
export const REPLAY_TENANT = 6
export const REPLAY_BYPASSES = 7

// How a replay's servers batch.
export const REPLAY_NONE = 0
export const REPLAY_DYNAMIC = 1
export const REPLAY_CONTINUOUS = 2

// What `length_pointer` finds.
export const LENGTH_TEXT = 0
export const LENGTH_ROWS = 1
export const LENGTH_COUNTS = 2
export const LENGTH_PROBABILITIES = 3
export const LENGTH_TABLE = 4
export const LENGTH_TABLE_SQUARES = 5
export const LENGTH_WEIGHTS = 6
export const LENGTH_SQUARES = 7
export const LENGTH_MOMENTS = 8

// What `length_get` names.
export const LENGTH_RATE = 0
export const LENGTH_UPDATES = 1
export const LENGTH_SEEN = 2
export const LENGTH_WEIGHT_COUNT = 3
export const LENGTH_ROW_COUNT = 4
