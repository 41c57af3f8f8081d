export * from './autoscaling/index.js'
export * from './microservices/index.js'
export type { BaseLearner, TaskDefinition, TaskEnvironment } from './task.js'
export { findTask, TASKS } from './tasks.js'
