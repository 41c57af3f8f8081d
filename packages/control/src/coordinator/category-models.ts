import type { Logger } from '@trimtab/core'
import type { ManyController } from '@trimtab/learn'
import type { BaseModel, ModelExchange } from './transport.js'

/** What a base model's bytes become: `Policy` of `@trimtab/learn` is one. */
export type LoadedModel = ManyController & { dispose?(): void }

const MOST_DOUBLINGS = 5 // asked for at least every 32 steps

interface Loaded {
  readonly model: BaseModel
  readonly controller: LoadedModel
}

interface Wanted {
  asked: number
  dueAtStep: number
}

/** A member's own copies of base models: asked for until they come, and kept whatever happens to where they came from. */
export class CategoryModels {
  readonly #exchange: ModelExchange
  readonly #load: (bytes: Uint8Array) => LoadedModel
  readonly #logger: Logger | undefined
  readonly #wanted = new Map<string, Wanted>() // by category, as all
  readonly #loaded = new Map<string, Loaded>()
  readonly #asking = new Map<string, Promise<void>>()
  readonly #troubled = new Set<string>()
  #steps = 0
  #failures = 0
  #isDisposed = false

  constructor(exchange: ModelExchange, load: (bytes: Uint8Array) => LoadedModel, logger: Logger | undefined) {
    this.#exchange = exchange
    this.#load = load
    this.#logger = logger
  }

  /** Requests without an answer, models that could not be loaded or that failed at work. */
  get failures(): number {
    return this.#failures
  }

  of(category: string): LoadedModel | undefined {
    return this.#loaded.get(category)?.controller
  }

  versionOf(category: string): number | undefined {
    return this.#loaded.get(category)?.model.version
  }

  /** Asks for the category's model, and until there is one again after 1, 2, 4, … 32 steps. */
  want(category: string): void {
    if (this.#wanted.has(category)) return
    this.#wanted.set(category, { asked: 0, dueAtStep: this.#steps })
    this.#askWhereDue()
  }

  /** A step has passed. */
  step(): void {
    this.#steps++
    this.#askWhereDue()
  }

  /** Asks for all models now: for those that are missing, and for what has become of the others. */
  refresh(): void {
    for (const category of this.#wanted.keys()) this.#ask(category)
  }

  /** The category's model failed at work: it is let go of, and asked for anew. */
  fail(category: string, failure: unknown): void {
    this.#note(category, failure)
    this.of(category)?.dispose?.()
    this.#loaded.delete(category)
  }

  /** Resolves when nothing is being asked for. */
  async settled(): Promise<void> {
    await Promise.all(this.#asking.values())
  }

  dispose(): void {
    this.#isDisposed = true
    for (const { controller } of this.#loaded.values()) controller.dispose?.()
    this.#loaded.clear()
  }

  #askWhereDue(): void {
    for (const [category, wanted] of this.#wanted) {
      if (this.#loaded.has(category) || this.#steps < wanted.dueAtStep) continue
      wanted.dueAtStep = this.#steps + 2 ** Math.min(wanted.asked++, MOST_DOUBLINGS)
      this.#ask(category)
    }
  }

  #ask(category: string): void {
    if (this.#asking.has(category)) return
    const answer = this.#exchange
      .get(category)
      .then((model) => this.#take(category, model))
      .catch((failure: unknown) => this.#note(category, failure))
      .finally(() => this.#asking.delete(category))
    this.#asking.set(category, answer)
  }

  #take(category: string, model: BaseModel | undefined): void {
    const last = this.#loaded.get(category)
    if (this.#isDisposed || model === undefined || (last && isSame(model, last.model))) return
    const controller = this.#load(model.bytes) // where it throws, the last one stays
    last?.controller.dispose?.()
    this.#loaded.set(category, { model, controller })
    if (this.#troubled.delete(category)) this.#logger?.info('the base model can be used again', { category })
  }

  #note(category: string, failure: unknown): void {
    this.#failures++
    if (this.#troubled.has(category)) return
    this.#troubled.add(category)
    this.#logger?.warn('no base model that can be used; the last one or the rule goes on', { category, failure })
  }
}

/** The version alone does not say it: a store that has lost everything counts anew. */
const isSame = (one: BaseModel, other: BaseModel): boolean =>
  one.version === other.version &&
  one.bytes.length === other.bytes.length &&
  one.bytes.every((byte, i) => byte === other.bytes[i])
