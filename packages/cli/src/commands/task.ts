// The task that a command is told: one of those there are, or a module of the user's own.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CONTROL_TASKS, type ControlTask, loadTask } from '@trimtab/tasks'
import { suggestion, UsageError } from '../options.js'

/** What TASK may be, for the help. */
export const TASK_HELP: string = `TASK: ${CONTROL_TASKS.join(', ')}; or a module that exports one, ./my-task.js`

/** A task with the name that a worker finds it by. */
export interface NamedTask {
  readonly task: ControlTask
  /** As `loadTask` takes it. */
  readonly reference: string
  /** As the user wrote it. */
  readonly operand: string
}

/**
 * The task that the one operand names: a name, a path or a URL.
 * @throws {UsageError} none or several; {ConfigError} what `loadTask` refuses
 */
export async function taskOf(operands: readonly string[]): Promise<NamedTask> {
  const [operand, ...others] = operands
  if (operand === undefined || others.length > 0) throw new UsageError(`name one task: ${CONTROL_TASKS.join(', ')}`)
  const reference = referenceOf(operand)
  return { task: await loadTask(reference), reference, operand }
}

function referenceOf(operand: string): string {
  if (CONTROL_TASKS.includes(operand)) return operand
  if (/^[a-z]+:\/\//.test(operand)) return operand
  if (/[/\\]|\.[cm]?[jt]s$/.test(operand)) return pathToFileURL(resolve(operand)).href
  const near = suggestion(operand, CONTROL_TASKS, '')
  throw new UsageError(
    `${JSON.stringify(operand)} is no task in which something acts${near}: ${CONTROL_TASKS.join(', ')}, or a module by its path (./${operand}.js)`,
  )
}
