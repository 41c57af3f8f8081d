import type { ParallelEnvironment, ParallelStep } from '@trimtab/core'
import { requireStep } from '../episode/step-check.js'

/**
 * A simulator's answer for many agents, checked: what is wrong there is a bug of the simulator. Only shapes are judged: numbers that
 * are none are the guard's business.
 * @throws {ConfigError} `step_invalid`
 */
export function requireParallelStep(
  step: ParallelStep,
  { agents, observation, global }: Pick<ParallelEnvironment, 'agents' | 'observation' | 'global'>,
): void {
  requireStep(typeof step === 'object' && step !== null ? undefined : `a step must be an object, got ${String(step)}`)
  const columns = [
    ['observations', step.observations, agents * observation.names.length],
    ['globals', step.globals, agents * global.names.length],
    ['rewards', step.rewards, agents],
  ] as const
  for (const [name, values, length] of columns) {
    const isWhole = values instanceof Float32Array && values.length === length
    requireStep(isWhole ? undefined : `${name} must be a Float32Array of ${length} numbers, got ${values?.length}`)
  }
  requireStep(
    typeof step.info === 'object' && step.info !== null
      ? undefined
      : `info must be an object, got ${String(step.info)}`,
  )
  const isSaid = typeof step.truncated === 'boolean'
  requireStep(isSaid ? undefined : `truncated must be true or false, got ${String(step.truncated)}`)
}
