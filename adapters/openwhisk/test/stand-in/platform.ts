import type {
  Action,
  ActivationOutcome,
  FunctionPlatform,
  Invocation,
  NamespaceLimits,
} from '../../src/server/index.js'
import { DEFAULT_NAMESPACE_LIMITS } from '../../src/server/index.js'

/** How the simulation behaves. */
export interface StandInOptions {
  /** CPU work of an activation with 256 MiB, ms; half of it with twice the memory. Default 100. */
  readonly workMs?: number
  /** Making a container, and then readying the code; default 400 and 150. */
  readonly createMs?: number
  readonly initMs?: number
  /** How long an idle container is kept; default 600,000. */
  readonly keepAliveMs?: number
}

interface Container {
  readonly version: string
  /** When each of its places is free again. */
  readonly freeAtMs: number[]
}

interface Running {
  readonly endMs: number
  readonly end: () => void
}

/**
 * A DOUBLE of OpenWhisk's invokers, in virtual time: nothing runs. Containers start cold, serve one version of an action, are kept while
 * idle, and are as many as `instances` allows; memory brings CPU.
 */
export class StandInPlatform implements FunctionPlatform {
  /** An operator may change them at any time. */
  namespaceLimits: NamespaceLimits = { ...DEFAULT_NAMESPACE_LIMITS, maxActionConcurrency: 10 }
  /** Containers that were started, by action. */
  readonly coldStarts = new Map<string, number>()
  /** Where set, changes of actions wait for it. */
  gate: Promise<void> | undefined
  readonly #options: Required<StandInOptions>
  readonly #containers = new Map<string, Container[]>()
  readonly #running: Running[] = []
  #nowMs = 1_800_000_000_000

  constructor({ workMs = 100, createMs = 400, initMs = 150, keepAliveMs = 600_000 }: StandInOptions = {}) {
    this.#options = { workMs, createMs, initMs, keepAliveMs }
  }

  now(): number {
    return this.#nowMs
  }

  get running(): number {
    return this.#running.length
  }

  /** Containers that could serve the action in its version of now. */
  containers(name: string): number {
    return this.#containers.get(name)?.length ?? 0
  }

  /** Lets virtual time go by; activations end in their order. */
  async advance(milliseconds: number): Promise<void> {
    const untilMs = this.#nowMs + milliseconds
    for (;;) {
      const next = this.#running.reduce<Running | undefined>((a, b) => (a && a.endMs <= b.endMs ? a : b), undefined)
      if (next === undefined || next.endMs > untilMs) break
      this.#running.splice(this.#running.indexOf(next), 1)
      this.#nowMs = next.endMs
      next.end()
      await new Promise(setImmediate)
    }
    this.#nowMs = untilMs
  }

  /** Lets as much of it go by as `promise` needs. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false
    const settle = (): void => {
      isSettled = true
    }
    promise.then(settle, settle)
    while (!isSettled) {
      const endsMs = this.#running.map(({ endMs }) => endMs)
      if (endsMs.length > 0) await this.advance(Math.min(...endsMs) - this.#nowMs)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    return promise
  }

  limits(): NamespaceLimits {
    return this.namespaceLimits
  }

  async put(action: Action): Promise<void> {
    await this.gate
    this.#containers.set(action.name, []) // what is warm has the older version
  }

  remove(action: Action): void {
    this.#containers.delete(action.name)
  }

  invoke({ action, parameters }: Invocation): Promise<ActivationOutcome> {
    const { workMs, createMs, initMs } = this.#options
    const { container, isCold } = this.#containerFor(action)
    const place = container.freeAtMs.indexOf(Math.min(...container.freeAtMs))
    const startMs = Math.max(this.#nowMs, container.freeAtMs[place]!) + (isCold ? createMs : 0)
    const runMs = (workMs * 256) / action.limits.memory
    const endMs = startMs + (isCold ? initMs : 0) + runMs
    container.freeAtMs[place] = endMs
    const outcome: ActivationOutcome = {
      startMs,
      endMs,
      waitTimeMs: startMs - this.#nowMs,
      ...(isCold && { initTimeMs: initMs }),
      ...(parameters.fail === true
        ? { status: 'application error', result: { error: 'as it was told' } }
        : { status: 'success', result: { echo: parameters } }),
    }
    return new Promise((resolve) => this.#running.push({ endMs, end: () => resolve(outcome) }))
  }

  #containerFor({ name, version, limits }: Action): { readonly container: Container; readonly isCold: boolean } {
    const kept = (this.#containers.get(name) ?? []).filter(
      (each) => each.version === version && Math.max(...each.freeAtMs) > this.#nowMs - this.#options.keepAliveMs,
    )
    this.#containers.set(name, kept)
    const freeAt = (each: Container): number => Math.min(...each.freeAtMs)
    const first = kept.reduce<Container | undefined>((a, b) => (a && freeAt(a) <= freeAt(b) ? a : b), undefined)
    if (first !== undefined && (freeAt(first) <= this.#nowMs || kept.length >= (limits.instances ?? 30)))
      return { container: first, isCold: false }
    const container = { version, freeAtMs: Array.from({ length: limits.concurrency }, () => this.#nowMs) }
    kept.push(container)
    this.coldStarts.set(name, (this.coldStarts.get(name) ?? 0) + 1)
    return { container, isCold: true }
  }
}
