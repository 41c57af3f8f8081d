import { Problems, ServingError } from '@trimtab/core'
import type { Job } from './job.js'
import { checkLimit, Gate } from './limits.js'
import type { JobRun } from './run.js'
import type { WaitingOptions } from './types.js'

const NO_GATES: readonly Gate[] = []

/** The limits of a scheduler: of all requests together, and of the models that have their own. */
export class Room {
  readonly #all: Gate | undefined
  readonly #ofModel: ReadonlyMap<string, Gate>

  /** @throws {ConfigError} `config_invalid` */
  constructor({ limit, modelLimits = {} }: Pick<WaitingOptions, 'limit' | 'modelLimits'>) {
    const problems = new Problems()
    if (limit) checkLimit(problems, limit, 'limit')
    for (const [model, own] of Object.entries(modelLimits))
      checkLimit(problems, own, `modelLimits[${JSON.stringify(model)}]`)
    problems.throwIfAny('scheduler')
    this.#all = limit && new Gate(limit)
    this.#ofModel = new Map(Object.entries(modelLimits).map(([model, own]) => [model, new Gate(own)]))
  }

  gateOf(job: Job<unknown>): Gate | undefined {
    const { model } = job.terms
    return model === undefined ? undefined : this.#ofModel.get(model)
  }

  /** `never_fits`, where the prompt alone is larger than a limit. */
  refusalOf(job: Job<unknown>): ServingError | undefined {
    const { promptTokens } = job.terms
    for (const { mostTokens } of this.#gatesOf(job)) {
      if (promptTokens <= mostTokens) continue
      return new ServingError(
        'never_fits',
        `a prompt of ${promptTokens} tokens can never start under a limit of ${mostTokens}: shorten it, or raise tokenBudget or tokensPerMinute`,
      )
    }
  }

  /** How long until the job may start as far as all requests together are concerned, in ms; Infinity: until another one has ended. */
  delayMs(job: Job<unknown>, nowMs: number): number {
    return this.#all?.delayMs(job.heldTokens, nowMs) ?? 0
  }

  /** A try begins. */
  enter(run: JobRun<unknown>, nowMs: number): void {
    const { job } = run
    const gates = this.#gatesOf(job)
    if (gates !== NO_GATES) run.passes = gates.map((gate) => gate.enter(job.heldTokens, nowMs))
  }

  /** It has ended. */
  leave({ job, outputTokens, passes }: JobRun<unknown>): void {
    const gates = this.#gatesOf(job)
    if (gates === NO_GATES) return
    const { promptTokens, answers } = job.terms
    const tokens = outputTokens > 0 ? promptTokens + outputTokens * answers : undefined
    for (const [i, gate] of gates.entries()) gate.leave(passes[i]!, tokens)
  }

  #gatesOf(job: Job<unknown>): readonly Gate[] {
    const own = this.gateOf(job)
    if (!this.#all && !own) return NO_GATES
    return [this.#all, own].filter((gate) => gate !== undefined)
  }
}
