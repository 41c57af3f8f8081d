import { ConfigError } from '@trimtab/core'
import { AUTOSCALING, AUTOSCALING_ADAPTATION, AUTOSCALING_HIDDEN_WEIGHT } from './autoscaling/task.js'
import { CONGESTION_CONTROL, CONGESTION_CONTROL_AURORA } from './congestion-control/task.js'
import { CPU_FREQUENCY, CPU_FREQUENCY_LITERAL } from './cpu-frequency/task.js'
import { defineTask } from './define-task.js'
import { MICROSERVICES } from './microservices/task.js'
import { RIGHTSIZING } from './rightsizing/task.js'
import { SERVERLESS } from './serverless/task.js'
import type { ControlTask, Task } from './task.js'

// A task of a new folder is registered by its name here, and by nothing else.
const ALL: readonly Task[] = [
  ...[AUTOSCALING, AUTOSCALING_ADAPTATION, AUTOSCALING_HIDDEN_WEIGHT],
  ...[CONGESTION_CONTROL, CONGESTION_CONTROL_AURORA],
  ...[CPU_FREQUENCY, CPU_FREQUENCY_LITERAL],
  MICROSERVICES,
  SERVERLESS,
  RIGHTSIZING,
]

/** Every task there is, by name. */
export const TASKS: Readonly<Record<string, Task>> = Object.fromEntries(ALL.map((task) => [task.name, task]))

/** Names of the tasks in which an agent acts: those that can be pretrained, adapted to and compared. */
export const CONTROL_TASKS: readonly string[] = ALL.filter(({ kind }) => kind === 'control').map(({ name }) => name)

/**
 * The control task of a name.
 * @throws {ConfigError} `task_unknown`; `task_not_control`
 */
export function findTask(name: string): ControlTask {
  if (!Object.hasOwn(TASKS, name)) {
    throw new ConfigError('task_unknown', `no task is called ${name}; there are ${Object.keys(TASKS).join(', ')}`)
  }
  return requireControl(TASKS[name]!)
}

/**
 * The control task that a reference names: that of a name in `TASKS`, or the export `task` (or the default one) of the module
 * at a URL. The same reference gives the same task in a worker.
 *
 * @throws {ConfigError} `task_unknown`; `task_unreadable` (no such module, or it throws; `cause` says why); `task_not_control`;
 *   `config_invalid` with all that is wrong with what the module exports
 * @example
 * const task = await loadTask(new URL('./my-task.js', import.meta.url).href)
 */
export async function loadTask(reference: string): Promise<ControlTask> {
  if (!URL.canParse(reference)) return findTask(reference)
  let module: { readonly task?: unknown; readonly default?: unknown }
  try {
    module = await import(/* @vite-ignore */ /* webpackIgnore: true */ reference)
  } catch (cause) {
    throw new ConfigError('task_unreadable', `${reference} cannot be imported: ${messageOf(cause)}`, { cause })
  }
  return taskOf(module, reference)
}

/**
 * The control task that a module exports as `task` or by default. What looks like one is checked anew: the module may have another
 * copy of this package.
 * @throws {ConfigError} `task_unreadable` (nothing of that name); `task_not_control`; `config_invalid`
 */
export function taskOf(
  module: { readonly task?: unknown; readonly default?: unknown },
  reference: string,
): ControlTask {
  const found = module.task ?? module.default
  if (typeof found !== 'object' || found === null) {
    throw new ConfigError('task_unreadable', `${reference} exports no task: export const task = defineTask({ … })`)
  }
  const { pool: _, fallback: __, ...definition } = found as ControlTask
  return requireControl(defineTask(definition))
}

function requireControl(task: Task): ControlTask {
  if (task.kind === 'control') return task
  throw new ConfigError('task_not_control', `nothing acts in ${task.name}, a supervised task: use trimtab rightsize`)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
