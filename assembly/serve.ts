// The entry of what serves requests: ready queues, replays of requests, predicted lengths, similar prompts.
export * from './shared'
export { queue_bytes } from './queue/layout'
export {
  queue_age,
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
export { similarity_nearest } from './stats/similarity'
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
