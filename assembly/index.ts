// The whole ABI of the core: free functions over i32, f32, f64 and usize, named family_verb. Zero imports.
// Pointers are byte offsets into the exported memory; callers own what memory_allocate gives them.
import { ABI_VERSION } from './abi'
import { REAL } from './math/real'

/** Saved states and callers compare this before anything else. */
export function abi_version(): i32 {
  return ABI_VERSION
}

/** Bytes of a network's number: 4; 8 in the build for finite differences. */
export function abi_real_bytes(): i32 {
  return <i32>REAL
}

export { memory_allocate, memory_release, memory_used } from './memory/arena'
export { single_map } from './math/single'
export {
  math_cos,
  math_exp,
  math_log,
  math_log_gamma,
  math_pow,
  math_sigmoid,
  math_sin,
  math_tanh,
} from './math/special'
export { adam_configure, adam_options_bytes, adam_step } from './nn/adam'
export { encoder_encode, encoder_gradients, encoder_learn } from './nn/context-encoder'
export {
  encoder_bytes,
  encoder_canonical,
  encoder_configure,
  encoder_convert,
  encoder_create,
  encoder_keep,
  encoder_pointer,
  encoder_set_updates,
  encoder_shape_bytes,
  encoder_updates,
} from './nn/context-encoder-plan'
export { gemm_multiply, gemm_panel_bytes } from './nn/gemm'
export { gru_backward, gru_forward, gru_outputs } from './nn/gru'
export {
  gru_canonical,
  gru_convert,
  gru_flat,
  gru_initialise,
  gru_plan,
  gru_plan_bytes,
  gru_workspace,
} from './nn/gru-plan'
export {
  mlp_backward,
  mlp_canonical,
  mlp_convert,
  mlp_flat,
  mlp_forward,
  mlp_initialise,
  mlp_net_bytes,
  mlp_plan,
  mlp_workspace,
} from './nn/mlp'
export { regressor_evaluate, regressor_fit, regressor_learn, regressor_predict } from './nn/regressor'
export {
  regressor_bytes,
  regressor_canonical,
  regressor_configure,
  regressor_convert,
  regressor_create,
  regressor_get,
  regressor_pointer,
  regressor_set,
  regressor_shape_bytes,
} from './nn/regressor-plan'
export { queue_bytes } from './queue/layout'
export {
  queue_cancel,
  queue_clear,
  queue_create,
  queue_has,
  queue_io,
  queue_peek,
  queue_pop,
  queue_pop_many,
  queue_push,
  queue_push_many,
  queue_size,
} from './queue/ready-queue'
export { queue_finish, queue_outstanding } from './queue/tenants'
export { replay_bytes, replay_column, replay_create, replay_run } from './queue/request-replay'
export {
  random_beta,
  random_exponential,
  random_fill_normal,
  random_fill_uniform,
  random_gamma,
  random_integer,
  random_normal,
  random_poisson,
  random_seed,
  random_uniform,
} from './random/xoshiro'
export {
  ddpg_canonical,
  ddpg_convert,
  ddpg_get,
  ddpg_keep,
  ddpg_set,
} from './rl/ddpg-access'
export {
  off_policy_insert,
  off_policy_pointer,
  off_policy_ring_count,
  off_policy_ring_cursor,
  off_policy_set_ring,
  off_policy_set_updates,
  off_policy_updates,
} from './rl/off-policy'
export { ddpg_bytes, ddpg_configure, ddpg_create, ddpg_shape_bytes } from './rl/ddpg-plan'
export { bcq_canonical, bcq_convert, bcq_get, bcq_pointer, bcq_set } from './rl/bcq-access'
export { bcq_bytes, bcq_configure, bcq_create, bcq_shape_bytes } from './rl/bcq-plan'
export { bcq_act, bcq_draw, bcq_goals, bcq_insert, bcq_learn, bcq_move, bcq_q, bcq_update } from './rl/bcq'
export { dqn_learn, dqn_update, dqn_update_pairs, dqn_values } from './rl/dqn'
export {
  dqn_bytes,
  dqn_canonical,
  dqn_configure,
  dqn_convert,
  dqn_create,
  dqn_get,
  dqn_q,
  dqn_set,
  dqn_shape_bytes,
} from './rl/dqn-plan'
export { ddpg_act, ddpg_learn, ddpg_q, ddpg_update, ddpg_update_pairs } from './rl/ddpg'
export { last_good_copy, last_good_get, last_good_length, last_good_set } from './nn/last-good'
export { gae_estimate, gae_monte_carlo } from './rl/gae'
export {
  ppo_act,
  ppo_choose,
  ppo_clear,
  ppo_end_episode,
  ppo_epoch,
  ppo_fill_contexts,
  ppo_insert,
  ppo_learn,
  ppo_prepare,
  ppo_value,
} from './rl/ppo'
export { ppo_canonical, ppo_convert, ppo_get, ppo_keep_good, ppo_pointer, ppo_set } from './rl/ppo-access'
export { ppo_bytes, ppo_configure, ppo_configure_adam, ppo_create, ppo_shape_bytes } from './rl/ppo-plan'
export { moments_bytes, moments_create, moments_normalise, moments_update } from './stats/moments'
export { similarity_nearest } from './stats/similarity'
export { svm_bytes, svm_create, svm_decide, svm_fit, svm_map, svm_observe } from './stats/svm'
export { path_bytes, path_column, path_get, path_layout } from './trace/layout'
export { path_begin, path_resume } from './trace/walk'
export {
  length_bytes,
  length_create,
  length_get,
  length_learn,
  length_pointer,
  length_predict,
  length_set,
  length_shape_bytes,
} from './text/length-model'
