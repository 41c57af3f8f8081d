import { ConfigError } from '@trimtab/core'
import { AUTOSCALING_ADAPTATION, AUTOSCALING_HIDDEN_WEIGHT } from './autoscaling/adaptation.js'
import { AUTOSCALING } from './autoscaling/task.js'
import { CONGESTION_CONTROL, CONGESTION_CONTROL_AURORA } from './congestion-control/preset.js'
import { CPU_FREQUENCY, CPU_FREQUENCY_LITERAL } from './cpu-frequency/preset.js'
import type { TaskDefinition } from './task.js'

/** Every task that has a pool, by name. A worker rebuilds an environment from `{ task, spec }` with it. */
export const TASKS: Readonly<Record<string, TaskDefinition<unknown>>> = {
  autoscaling: AUTOSCALING,
  'autoscaling-adaptation': AUTOSCALING_ADAPTATION,
  'autoscaling-hidden-weight': AUTOSCALING_HIDDEN_WEIGHT,
  'congestion-control': CONGESTION_CONTROL,
  'congestion-control-aurora': CONGESTION_CONTROL_AURORA,
  'cpu-frequency': CPU_FREQUENCY,
  'cpu-frequency-literal': CPU_FREQUENCY_LITERAL,
}

/** @throws {ConfigError} `task_unknown` */
export function findTask(name: string): TaskDefinition<unknown> {
  if (!Object.hasOwn(TASKS, name)) {
    throw new ConfigError('task_unknown', `no task is called ${name}; there are ${Object.keys(TASKS).join(', ')}`)
  }
  return TASKS[name]!
}
