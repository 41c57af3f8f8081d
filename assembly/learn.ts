// The entry of what learns: networks, agents, their statistics.
export * from './shared'
export { single_map } from './math/single'
export { adam_configure, adam_options_bytes, adam_step } from './nn/adam'
export { encoder_encode, encoder_gradients, encoder_learn, encoder_pool } from './nn/context-encoder'
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
  gru_flat_bytes,
  gru_initialise,
  gru_plan,
  gru_plan_bytes,
  gru_workspace_bytes,
} from './nn/gru-plan'
export {
  mlp_backward,
  mlp_canonical,
  mlp_convert,
  mlp_flat_bytes,
  mlp_forward,
  mlp_initialise,
  mlp_net_bytes,
  mlp_plan,
  mlp_workspace_bytes,
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
  ppo_act_many,
  ppo_append,
  ppo_choose,
  ppo_clear,
  ppo_end_episode,
  ppo_epoch,
  ppo_fill_contexts,
  ppo_imitate,
  ppo_insert,
  ppo_learn,
  ppo_prepare,
  ppo_value,
} from './rl/ppo'
export { ppo_canonical, ppo_convert, ppo_get, ppo_keep_good, ppo_pointer, ppo_set } from './rl/ppo-access'
export { ppo_bytes, ppo_configure, ppo_configure_adam, ppo_create, ppo_shape_bytes } from './rl/ppo-plan'
export { moments_bytes, moments_create, moments_normalise, moments_update } from './stats/moments'
export { svm_bytes, svm_create, svm_decide, svm_fit, svm_map, svm_observe } from './stats/svm'
