import type { LengthRequest } from '../predict/index.js'
import type { AddOptions, Retry } from './types.js'

/** What a request was added with, its estimate and its deadline apart: whatever the caller's object becomes later. */
export class Terms {
  readonly signal: AbortSignal | undefined
  readonly tenant: string | undefined
  readonly model: string | undefined
  /** For the estimator. */
  readonly request: LengthRequest | undefined
  readonly priority: number
  readonly promptTokens: number
  readonly maxTokens: number
  readonly answers: number
  readonly timeoutMs: number | undefined
  readonly retry: Retry | undefined

  constructor(options: AddOptions) {
    const { model, prompt, maxTokens } = options
    this.signal = options.signal
    this.tenant = options.tenant
    this.model = model
    this.request =
      model === undefined || prompt === undefined
        ? undefined
        : maxTokens === undefined
          ? { model, prompt }
          : { model, prompt, maxTokens }
    this.priority = options.priority ?? 0
    this.promptTokens = options.promptTokens ?? 0
    this.maxTokens = maxTokens ?? Number.POSITIVE_INFINITY
    this.answers = options.answers ?? 1
    this.timeoutMs = options.timeoutMs
    this.retry = options.retry
  }
}

const PLAIN = new Terms({})

/** The terms of `options`; requests that ask for nothing in particular share theirs. */
export function termsOf(options: AddOptions): Terms {
  const { signal, tenant, model, maxTokens, priority, promptTokens, answers, timeoutMs, retry } = options
  const isPlain =
    (signal ?? tenant ?? model ?? maxTokens ?? priority ?? promptTokens ?? answers ?? timeoutMs ?? retry) === undefined
  return isPlain ? PLAIN : new Terms(options)
}
