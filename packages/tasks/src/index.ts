export { defineTask } from './define-task.js'
export type {
  ControlTask,
  ControlTaskDefinition,
  LabelError,
  SupervisedTask,
  SupervisedTaskDefinition,
  Task,
  TaskEnvironment,
  TaskLabels,
  TaskPredictor,
  TaskRule,
  TaskSafety,
} from './task.js'
export { CONTROL_TASKS, findTask, loadTask, TASKS, taskOf } from './tasks.js'
