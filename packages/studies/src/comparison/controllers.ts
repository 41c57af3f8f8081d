import { Problems } from '@trimtab/core'
import type { ControlTask } from '@trimtab/tasks'

/**
 * How a task's base learner takes part: `trimtab` beside the fallback rule, in an envelope that measured violations pay for, where
 * the task says what a violation is; `scratch` alone, learning freely.
 */
export const LEARNERS = ['trimtab', 'scratch'] as const

/** Who can be compared in a task: its rules, the first of them the fallback, then the learners. */
export const controllersOf = ({ rules, safety }: ControlTask): string[] => [
  ...rules.map(({ name }) => name),
  ...(safety ? LEARNERS : (['scratch'] as const)),
]

/** Who takes part, as reports name it. */
export interface NamedController {
  readonly name: string
  /** What a person reads. */
  readonly label: string
  readonly kind: 'rule' | 'learner'
}

/** A rule or learner of a task, by its name. */
export function describeController({ rules, baseLearner: { algorithm } }: ControlTask, name: string): NamedController {
  if (name === 'trimtab') return { name, label: `Trimtab (${algorithm} beside the rule)`, kind: 'learner' }
  if (name === 'scratch') return { name, label: `${algorithm} alone`, kind: 'learner' }
  return { name, label: rules.find((rule) => rule.name === name)!.label ?? name, kind: 'rule' }
}

/** @throws {ConfigError} `config_invalid` with every name that is none */
export function checkControllers(task: ControlTask, names: readonly string[]): void {
  const problems = new Problems()
  const known = controllersOf(task)
  for (const name of names) {
    problems.check(
      known.includes(name),
      name === 'trimtab'
        ? 'trimtab needs a task that says what a violation is (safety.isViolation): compare scratch'
        : `there is no controller ${name} in ${task.name}: ${known.join(', ')}`,
    )
  }
  problems.check(names.length > 0, `name controllers: ${known.join(', ')}`)
  problems.throwIfAny('comparison')
}
