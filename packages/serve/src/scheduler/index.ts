export {
  type Batching,
  type QueueOrder,
  type ReplayOptions,
  type RequestColumns,
  type RequestTimes,
  replayRequests,
  type WorkAgeingOptions,
} from '@trimtab/core/internal'
export { type BatchOptions, BatchScheduler } from './batch-scheduler.js'
export type { SchedulerEvents, SchedulerListener } from './events.js'
export type { Limit } from './limits.js'
export { Scheduler } from './scheduler.js'
export {
  type ShortestFirstAddOptions,
  type ShortestFirstOptions,
  ShortestFirstQueue,
  shortestFirst,
} from './shortest-first-queue.js'
export type { SlotOptions } from './slots.js'
export type { SchedulerStats, WaitStats } from './statistics.js'
export type { AddOptions, Retry, Run, WaitingOptions } from './types.js'
