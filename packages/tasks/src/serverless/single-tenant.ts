import type { Bytes, Core, Space, Step } from '@trimtab/core'
import { checkAction } from '../action.js'
import type { TaskEnvironment } from '../task.js'
import { ServerlessEnvironment } from './environment.js'
import type { ServerlessSpec } from './platform-spec.js'
import type { ServerlessPreset } from './preset.js'

/**
 * A serverless platform as the agent of one tenant meets it: it acts for tenant 0, all others take one action for ever (of level actions:
 * R + c√R at fixed shares). S: observation, A: action.
 */
export class SingleTenantEnvironment implements TaskEnvironment {
  /** The platform with all its tenants. */
  readonly everybody: ServerlessEnvironment
  readonly #actions: Float32Array // [N, A]

  /**
   * @param others  action of each of the others [A]
   * @throws {ConfigError} `config_invalid` with every problem of the spec
   */
  constructor(core: Core, spec: ServerlessSpec, preset: ServerlessPreset, others: Float32Array) {
    this.everybody = new ServerlessEnvironment(core, spec, preset)
    checkAction(others, this.action)
    this.#actions = new Float32Array(this.everybody.agents * others.length)
    for (let i = 0; i < this.everybody.agents; i++) this.#actions.set(others, i * others.length)
  }

  /** What it sees of its tenant. */
  get observation(): Space {
    return this.everybody.observation
  }

  /** What it asks for it. */
  get action(): Space {
    return this.everybody.action
  }

  reset(seed: number): Float32Array {
    return this.#ownOf(this.everybody.reset(seed).observations)
  }

  /** @throws {ConfigError} `size_mismatch`, `not_finite`, `action_unknown` */
  step(action: Float32Array): Step {
    checkAction(action, this.action)
    this.#actions.set(action)
    const { observations, rewards, truncated, info } = this.everybody.step(this.#actions)
    return {
      observation: this.#ownOf(observations),
      reward: rewards[0]!,
      terminated: false,
      truncated,
      info: Object.fromEntries(Object.entries(info).map(([name, numbers]) => [name, numbers[0]!])),
    }
  }

  #ownOf(observations: Float32Array): Float32Array {
    return observations.slice(0, this.observation.names.length)
  }

  save(): Uint8Array {
    return this.everybody.save()
  }

  load(state: Bytes): void {
    this.everybody.load(state)
  }

  dispose(): void {
    this.everybody.dispose()
  }
}
