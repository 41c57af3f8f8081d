import { ConfigError, type Space, type Transition } from '@trimtab/core'

/** @throws {ConfigError} `size_mismatch`, `not_finite` */
export function requireShape(name: string, values: Float32Array, rows: number, columns: number): void {
  if (values.length !== rows * columns) {
    throw new ConfigError(
      'size_mismatch',
      `${name} must hold ${rows} × ${columns} numbers, got ${values.length}: register the base learner with the shapes it has`,
    )
  }
  const at = values.findIndex((value) => !Number.isFinite(value))
  if (at >= 0) throw new ConfigError('not_finite', `${name}[${at}] must be a finite number, got ${values[at]}`)
}

/**
 * How many agents observations [N, S] and actions [N, A] are of.
 * @throws {ConfigError} `size_mismatch`
 */
export function requireRows(observations: Float32Array, states: number, out: Float32Array, actions: number): number {
  const n = out.length / actions
  if (Number.isInteger(n) && n >= 1 && observations.length === n * states) return n
  throw new ConfigError(
    'size_mismatch',
    `decisions take ${states} numbers of each agent and give ${actions}, got ${observations.length} and ${out.length}`,
  )
}

/** For an agent that sees observations alone. @throws {ConfigError} `size_mismatch` unless `z` is empty */
export function requireNoContext(z: Float32Array): void {
  if (z.length > 0) throw new ConfigError('size_mismatch', `this agent has no context, got one of ${z.length} numbers`)
}

/**
 * Refuses a step that no agent of these spaces can have taken, before anything of it is stored.
 *
 * An action must be in its space: a number far outside would be learned from as if it had been applied. `terminated` must be said:
 * taken as false where it is missing, an episode's end would be worth the future of whatever is observed next.
 * @throws {ConfigError} `size_mismatch`, `transition_not_finite`, `transition_invalid`, `action_invalid`
 */
export function requireTransition(transition: Transition, observation: Space, action: Space, global?: Space): void {
  const { reward, terminated, ruleAction } = transition
  const columns: Readonly<Record<string, readonly [Float32Array | undefined, Space]>> = {
    observation: [transition.observation, observation],
    action: [transition.action, action],
    nextObservation: [transition.nextObservation, observation],
    ...(global && { global: [transition.global, global], nextGlobal: [transition.nextGlobal, global] }),
    ...(ruleAction && { ruleAction: [ruleAction, action] }),
  }
  for (const [name, [values, space]] of Object.entries(columns)) {
    const size = space.names.length
    if (values?.length !== size) {
      throw new ConfigError('size_mismatch', `${name} must hold ${size} numbers, got ${values?.length ?? values}`)
    }
    for (let i = 0; i < size; i++) if (!Number.isFinite(values[i])) throw notFinite(`${name}[${i}]`, values[i])
  }
  if (!Number.isFinite(reward)) throw notFinite('reward', reward)
  if (typeof terminated !== 'boolean') {
    throw new ConfigError(
      'transition_invalid',
      `terminated must be true or false, got ${String(terminated)}: false after a time limit; the transition was not stored`,
    )
  }
  requireActions(transition.action, action)
}

/**
 * Refuses actions [N, A] that are not all in their space.
 * @throws {ConfigError} `action_invalid`
 */
export function requireActions(actions: Float32Array, space: Space): void {
  for (const [i, value] of actions.entries()) requireInside(value, space, i % space.names.length)
}

function requireInside(value: number, { names, low, high, kind }: Space, i: number): void {
  if (value >= low[i]! && value <= high[i]! && (kind === 'box' || Number.isInteger(value))) return
  const range = kind === 'discrete' ? `a whole number in ${low[i]} … ${high[i]}` : `in [${low[i]}, ${high[i]}]`
  throw new ConfigError(
    'action_invalid',
    `action "${names[i]}" must be ${range}, got ${value}; the transition was not stored`,
  )
}

const notFinite = (name: string, value: unknown): ConfigError =>
  new ConfigError('transition_not_finite', `${name} is ${String(value)}; the transition was not stored`)
